import { parseArgs } from 'node:util';

/** A command line that the program does not understand; `faults` are for the user, all at once. */
export class FlagError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.name = 'FlagError';
    this.faults = faults;
  }
}

/** One flag that takes a value. */
export interface FlagDefinition<T> {
  /** Value when the flag is not given. */
  readonly fallback: T;
  /** Name of the value in the help text. */
  readonly valueName: string;
  readonly description: string;
  /** Whether the flag alone, without a value, means `true`. */
  readonly isSwitch?: boolean;
  /** Reads the text; `{ fault }` says why it cannot, after the words "--name TEXT: ". */
  parse(text: string): { readonly value: T } | { readonly fault: string };
}

/** Flags by name, without the dashes. */
export type FlagDefinitions = Readonly<Record<string, FlagDefinition<unknown>>>;

/** The values of flags. */
export type FlagValues<D extends FlagDefinitions> = { readonly [N in keyof D]: D[N]['fallback'] };

/** Reads `--name value` and `--name=value`. Unknown flags, missing values, repeated flags and stray words are faults. Throws FlagError. */
export function parseFlags<D extends FlagDefinitions>(definitions: D, args: readonly string[]): FlagValues<D> {
  const options = Object.fromEntries(
    Object.entries(definitions).map(([name, { isSwitch }]) => [
      name,
      { type: isSwitch === true ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  const faults: string[] = [];
  const texts = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind === 'positional') faults.push(`unexpected argument ${JSON.stringify(token.value)}`);
    if (token.kind !== 'option') continue;
    if (!Object.hasOwn(definitions, token.name)) faults.push(`unknown flag ${token.rawName}`);
    else if (texts.has(token.name)) faults.push(`${token.rawName} is given more than once`);
    else if (token.value === undefined && definitions[token.name]?.isSwitch === true) texts.set(token.name, 'true');
    else if (token.value === undefined || token.value === '') faults.push(`${token.rawName} needs a value`);
    else texts.set(token.name, token.value);
  }
  const values: Record<string, unknown> = {};
  for (const [name, definition] of Object.entries(definitions)) {
    const text = texts.get(name);
    const parsed = text === undefined ? { value: definition.fallback } : definition.parse(text);
    if ('fault' in parsed) faults.push(`--${name} ${text}: ${parsed.fault}`);
    else values[name] = parsed.value;
  }
  if (faults.length > 0) throw new FlagError(faults);
  return values as FlagValues<D>;
}

/** The help text of flags, one a line. */
export function describeFlags(definitions: FlagDefinitions): string {
  const rows = Object.entries(definitions).map(([name, definition]) => {
    const { fallback } = definition;
    const shown = fallback === undefined || fallback === '' ? '' : ` (default ${String(fallback)})`;
    return [`  --${name} ${definition.valueName}`, `${definition.description}${shown}`] as const;
  });
  const width = Math.max(...rows.map(([flag]) => flag.length));
  return rows.map(([flag, text]) => `${flag.padEnd(width)}  ${text}`).join('\n');
}
