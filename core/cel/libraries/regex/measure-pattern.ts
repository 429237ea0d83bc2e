/** Nothing may be repeated more often, all the repetitions around it taken together. */
const maxRepetitions = 1000;

/**
 * About how many instructions a pattern compiles to, repetitions multiplied out. Never far below, so that a pattern which would need
 * too much memory is known before it is compiled.
 */
export function measurePattern(pattern: string): number {
  const outer: number[] = [];
  let total = 0;
  let last = 0;
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern.charAt(i);
    if (character === '(') {
      outer.push(total + last);
      [total, last] = [2, 0];
    } else if (character === ')') {
      last += total;
      total = outer.pop() ?? 0;
    } else if (character === '{') {
      const match = /^\{([0-9]{1,4})(?:,([0-9]{0,4}))?\}/.exec(pattern.slice(i, i + 12));
      if (match !== null) {
        const count = Math.max(1, Number(match[1]), Number(match[2] ?? 0));
        if (count <= maxRepetitions) last *= count;
        i += match[0].length - 1;
      }
    } else if (!'*+?|'.includes(character)) {
      if (character === '\\') i++;
      if (character === '[') i = findClassEnd(pattern, i);
      total += last;
      last = 2;
    }
  }
  const size = outer.reduce((sum, part) => sum + part, total + last);
  return Math.min(size, pattern.length * maxRepetitions) + pattern.length;
}

function findClassEnd(pattern: string, start: number): number {
  let i = pattern.startsWith('[^', start) ? start + 2 : start + 1;
  if (pattern.charAt(i) === ']') i++;
  while (i < pattern.length && pattern.charAt(i) !== ']') i += pattern.charAt(i) === '\\' ? 2 : 1;
  return i;
}
