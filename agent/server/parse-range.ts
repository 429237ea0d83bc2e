/** Bytes of a file, both ends included; `whole` when all of it is to be sent, `unsatisfiable` when there is nothing to send. */
export type ByteRange = { readonly start: number; readonly end: number } | 'whole' | 'unsatisfiable';

/** Reads a header `Range` of one span for a file of `size` bytes. What is none, or several, is ignored, as the standard allows. */
export function parseRange(header: string | undefined, size: number): ByteRange {
  const match = /^bytes=[ \t]*(\d{0,16})-(\d{0,16})[ \t]*$/i.exec(header ?? '');
  if (match === null) return 'whole';
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return 'whole';
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return 'whole';
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}
