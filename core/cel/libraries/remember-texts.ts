const maxTexts = 512;
const maxLength = 128;

/**
 * The function, which is pure, with the results for the last few hundred short texts kept: expressions ask about the same texts, such as
 * their own constants, each time they are evaluated.
 */
export function rememberTexts<T extends object>(read: (text: string) => T): (text: string) => T {
  let recent = new Map<string, T>();
  let older = new Map<string, T>();
  return (text) => {
    if (text.length > maxLength) return read(text);
    const known = recent.get(text);
    if (known !== undefined) return known;
    const result = older.get(text) ?? read(text);
    if (recent.size >= maxTexts / 2) {
      older = recent;
      recent = new Map();
    }
    recent.set(text, result);
    return result;
  };
}
