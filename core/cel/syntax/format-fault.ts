import type { CelFault } from '../cel-program.ts';
import { SourceText } from './source-text.ts';

const maxFaults = 100;
const maxLineBytes = 16_384;

/** Renders faults as cel-go does: ordered by position, each with the source line and a caret; `count` is how many there were in all. */
export function formatFaults(source: string, faults: readonly CelFault[], count: number = faults.length): string {
  const text = new SourceText(source);
  const ordered = faults
    .slice(0, maxFaults)
    .toSorted((left, right) => left.line - right.line || left.column - right.column);
  const rendered = ordered.map((fault) => formatFault(text, fault));
  if (count > maxFaults) rendered.push(`${count - maxFaults} more errors were truncated`);
  return rendered.join('\n');
}

function formatFault(source: SourceText, fault: CelFault): string {
  const heading = `ERROR: <input>:${fault.line}:${fault.column + 1}: ${fault.message}`;
  const line = source.readLine(fault.line);
  if (line === undefined || Buffer.byteLength(line) > maxLineBytes) return heading;
  const shown = line.replaceAll('\t', ' ');
  let pointer = '';
  const characters = Array.from(shown);
  for (const character of characters.slice(0, Math.max(fault.column, 0))) pointer += isWide(character) ? '．' : '.';
  pointer += isWide(characters[Math.max(fault.column, 0)]) ? '＾' : '^';
  return `${heading}\n | ${shown}\n | ${pointer}`;
}

function isWide(character: string | undefined): boolean {
  return character !== undefined && character.codePointAt(0)! > 127;
}
