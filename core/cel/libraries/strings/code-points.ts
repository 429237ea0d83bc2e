/** Whether every character is one code unit, so that indices in code points are those of JavaScript. */
export function isBasic(text: string): boolean {
  return !/[\ud800-\udfff]/.test(text);
}

/** Where the code point number `index` begins in code units; the length for one past the last; `undefined` beyond. */
export function locateCodePoint(text: string, index: number): number | undefined {
  if (isBasic(text)) return index <= text.length ? index : undefined;
  let unit = 0;
  for (let point = 0; point < index; point++) {
    if (unit >= text.length) return undefined;
    unit += (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1;
  }
  return unit;
}
