import { compileRegex } from '../../../../core/cel/libraries/regex/compile-regex.ts';

const atom = String.raw`[A-Za-z0-9!#$%&'*+/=?^_\x60{|}~\x{80}-\x{10ffff}-]+`;
const quoted = String.raw`"(?:[^"\\\x00-\x08\x0a-\x1f\x7f]|\\[^\x00-\x08\x0a-\x1f\x7f])*"`;
const domainLiteral = String.raw`\[[^\[\]\\\x00-\x20\x7f]+\]`;
const address = String.raw`(?:${atom}(?:\.${atom})*|${quoted})@(?:${atom}(?:\.${atom})*|${domainLiteral})`;
const space = String.raw`[ \t]*`;
const phrase = String.raw`(?:(?:${atom}(?:\.${atom})*\.?|${quoted})[ \t]*)*`;
/** An address alone, or in angles behind a name. Of the kind that takes time in proportion to the text only. */
const pattern = `^(?:${space}${address}${space}|${space}${phrase}<${space}${address}${space}>${space})$`;

/** Longer addresses do not exist. */
const maxLength = 4096;

/** Whether a text is an address of RFC 5322 as Go's `mail.ParseAddress` reads it, with or without a name; a comment behind it is taken off. */
export function isEmail(text: string): boolean {
  if (text.length > maxLength) return false;
  const regex = compileRegex(pattern);
  if ('fault' in regex) throw new Error(`the pattern of addresses is none: ${regex.fault}`);
  return regex.test(takeOffComment(text));
}

/** The text without a comment in parentheses at its end. */
function takeOffComment(text: string): string {
  const trimmed = text.trimEnd();
  const start = trimmed.lastIndexOf('(');
  if (!trimmed.endsWith(')') || start === -1) return text;
  const isPlain = !/[()\\]/.test(trimmed.slice(start + 1, -1));
  return isPlain ? trimmed.slice(0, start).trimEnd() : text;
}
