import { endOfInput } from './token-kind.ts';

const names = [
  ...['', "'=='", "'!='", "'in'", "'<'", "'<='", "'>='", "'>'", "'&&'", "'||'", "'['", "']'", "'{'", "'}'", "'('"],
  ...["')'", "'.'", "','", "'-'", "'!'", "'?'", "':'", "'+'", "'*'", "'/'", "'%'", "'true'", "'false'", "'null'"],
  ...['WHITESPACE', 'COMMENT', 'NUM_FLOAT', 'NUM_INT', 'NUM_UINT', 'STRING', 'BYTES', 'IDENTIFIER', 'ESC_IDENTIFIER'],
];

/** A set of kinds of tokens as a fault shows it. */
export function displayTokenKinds(kinds: ReadonlySet<number>): string {
  const shown = Array.from(kinds)
    .sort((left, right) => left - right)
    .map((kind) => (kind === endOfInput ? '<EOF>' : names[kind]));
  return shown.length === 1 ? shown[0]! : `{${shown.join(', ')}}`;
}

/** A text as a fault shows it. */
export function quoteText(text: string): string {
  return `'${text.replaceAll('\t', '\\t').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}'`;
}
