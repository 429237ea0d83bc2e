const SLASH = 0x2f;

/** The path without the slashes at its start and its end. Takes time in proportion to its length, which a regular expression does not. */
export function trimSlashes(path: string): string {
  let from = 0;
  let to = path.length;
  while (from < to && path.charCodeAt(from) === SLASH) from++;
  while (to > from && path.charCodeAt(to - 1) === SLASH) to--;
  return path.slice(from, to);
}

/** The segments of a path, without regard to slashes at its start and its end. */
export function splitPath(path: string): string[] {
  return trimSlashes(path).split('/');
}
