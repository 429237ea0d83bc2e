/** Words of the language that a field cannot bear as its name, unless it is written behind a dot. */
const reservedNames = new Set([
  'true', 'false', 'null', 'in', 'as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if', 'import', 'let', 'loop', 'package',
  'namespace', 'return', 'var', 'void', 'while',
]); // prettier-ignore

const escapes = new Map([
  ['__', '__underscores__'],
  ['.', '__dot__'],
  ['-', '__dash__'],
  ['/', '__slash__'],
]);
const unescapes = new Map([...escapes].map(([text, escaped]) => [escaped, text]));

/** The name by which an expression reads a property, such as `foo__dash__bar` for `foo-bar`; `undefined` when there is none. */
export function escapeFieldName(property: string): string | undefined {
  if (reservedNames.has(property)) return `__${property}__`;
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(property)) return undefined;
  return property.replaceAll(/__|[./-]/g, (text) => escapes.get(text)!);
}

/** The property that a name in an expression stands for; a name that is escaped nowhere is itself. */
export function unescapeFieldName(name: string): string {
  const reserved = /^__(.+)__$/.exec(name)?.[1];
  if (reserved !== undefined && reservedNames.has(reserved)) return reserved;
  return name.replaceAll(/__(?:underscores|dot|dash|slash)__/g, (escaped) => unescapes.get(escaped)!);
}
