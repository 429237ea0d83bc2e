/** Kubernetes' bounds, in characters: beyond the first one, every warning is cut to the second one. */
const MAX_TOTAL = 4096;
const MAX_CUT = 256;

/** The value of one `Warning` header; what no header may carry becomes a space. */
function formatWarning(characters: readonly string[]): string {
  const cleaned = characters.join('').replace(/\p{Cc}/gu, ' ');
  // Header values go out as single bytes; this way the text's UTF-8 does.
  return `299 - "${Buffer.from(cleaned.replace(/(["\\])/g, '\\$1')).toString('latin1')}"`;
}

/** The values of the `Warning` headers of one answer. Many or long texts are cut, and the last ones left out, as in Kubernetes. */
export function formatWarnings(texts: Iterable<string>): string[] {
  // No more of a text than can be shown is taken apart; a character has at most two units.
  const warnings = [...texts].filter((text) => text !== '').map((text) => [...text.slice(0, 2 * MAX_TOTAL + 2)]);
  let total = 0;
  for (const { length } of warnings) total += length;
  if (total <= MAX_TOTAL) return warnings.map(formatWarning);
  const shown: string[] = [];
  let written = 0;
  for (const warning of warnings) {
    if (written >= MAX_TOTAL) break;
    const cut = warning.slice(0, MAX_CUT);
    written += cut.length;
    shown.push(formatWarning(cut));
  }
  return shown;
}
