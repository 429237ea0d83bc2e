const ABOVE_BASIC = /[\ud800-\uffff]/;

/**
 * A text whose UTF-16 order is the order of the key's UTF-8 bytes; the key itself unless it has characters from U+D800 on.
 * Throws TypeError for a key that UTF-8 cannot carry (a lone surrogate).
 */
export function toSortKey(key: string): string {
  if (!ABOVE_BASIC.test(key)) return key;
  if (!key.isWellFormed()) throw new TypeError('a store key must be well-formed Unicode');
  let sortKey = '';
  for (let i = 0; i < key.length; i++) {
    const unit = key.charCodeAt(i);
    // Surrogates stand for the characters above U+FFFF, so they go behind the rest of the basic plane.
    if (unit < 0xd800) sortKey += key[i];
    else if (unit < 0xe000) sortKey += String.fromCharCode(unit + 0x2000);
    else sortKey += String.fromCharCode(unit - 0x0800);
  }
  return sortKey;
}

/** The least sort key that is greater than every sort key with this prefix; `undefined` when there is none. */
export function endOfPrefix(prefix: string): string | undefined {
  for (let end = prefix.length; end > 0; end--) {
    const last = prefix.charCodeAt(end - 1);
    if (last < 0xffff) return prefix.slice(0, end - 1) + String.fromCharCode(last + 1);
  }
  return undefined;
}
