const atom = String.raw`[A-Za-z0-9!#$%&'*+/=?^_\u0060{|}~\u{80}-\u{10ffff}-]+`;
const quoted = String.raw`"(?:[^"\\\u0000-\u0008\u000a-\u001f\u007f]|\\[^\u0000-\u0008\u000a-\u001f\u007f])*"`;
const domainLiteral = String.raw`\[[^\[\]\\\u0000-\u0020\u007f]+\]`;
const address = String.raw`(?:${atom}(?:\.${atom})*|${quoted})@(?:${atom}(?:\.${atom})*|${domainLiteral})`;
const space = String.raw`[ \t]*`;
const phrase = String.raw`(?:(?:${atom}(?:\.${atom})*\.?|${quoted})[ \t]*)*`;
const plain = new RegExp(`^${space}${address}${space}$`, 'u');
const named = new RegExp(`^${space}${phrase}<${space}${address}${space}>${space}$`, 'u');

/** Longer addresses do not exist; bounds the work of the patterns. */
const maxLength = 4096;

/** Whether a text is an address of RFC 5322 as Go's `mail.ParseAddress` reads it, with or without a name; comments are taken off first. */
export function isEmail(text: string): boolean {
  if (text.length > maxLength) return false;
  const bare = text.replace(/[ \t]*\([^()\\]*\)[ \t]*$/, '');
  return plain.test(bare) || named.test(bare);
}
