/** The longest text about one expression and one kind, in characters; some of the first faults say enough. */
const maxCharacters = 8192;

/** What is wrong with an expression, or the beginning of it and how much is left out. Ends a line. */
export function cutWarning(text: string): string {
  if (text.length <= maxCharacters) return text;
  const lineEnd = text.lastIndexOf('\n', maxCharacters);
  // A character may take two units.
  const end = lineEnd > 0 ? lineEnd : maxCharacters - (text.codePointAt(maxCharacters - 1)! > 0xffff ? 1 : 0);
  return `${text.slice(0, end)}\n… ${text.length - end} more characters\n`;
}
