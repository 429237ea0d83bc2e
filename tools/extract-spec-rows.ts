import { readFile, writeFile } from 'node:fs/promises';

/** One statement of the specification: a table row, a list item or a paragraph. */
interface SpecRow {
  /** Section path and a running number within it, such as `Endpoints/Ingress#4`. */
  readonly id: string;
  readonly section: string;
  /** Cells of a table row by column name; absent for a list item or a paragraph. */
  readonly cells?: Readonly<Record<string, string>>;
  readonly text: string;
}

function splitCells(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** Splits the specification's Markdown into rows, in order. */
function extractRows(markdown: string): SpecRow[] {
  const rows: SpecRow[] = [];
  const counts = new Map<string, number>();
  let headings: string[] = [];
  let columns: string[] | undefined;

  function add(text: string, cells?: Record<string, string>): void {
    const section = headings.join('/') || 'Introduction';
    const number = (counts.get(section) ?? 0) + 1;
    counts.set(section, number);
    rows.push({ id: `${section}#${number}`, section, ...(cells ? { cells } : {}), text });
  }

  for (const line of markdown.split('\n').map((raw) => raw.trim())) {
    const heading = /^(#+) (.*)$/.exec(line);
    if (heading) {
      const title = (heading[2] ?? '').replace(/ \(.*\)$/, '');
      headings = [...headings.slice(0, Math.max(0, (heading[1] ?? '').length - 2)), title];
      if (heading[1] === '#') {
        headings = [];
      }
      columns = undefined;
    } else if (line.startsWith('|')) {
      const cells = splitCells(line);
      if (!columns) {
        columns = cells;
      } else if (!cells.every((cell) => /^-+$/.test(cell))) {
        const names = columns;
        add(cells.join(' | '), Object.fromEntries(cells.map((cell, index) => [names[index] ?? String(index), cell])));
      }
    } else {
      columns = undefined;
      if (line !== '') {
        add(line.replace(/^(?:[-*]|\d+\.) /, ''));
      }
    }
  }
  return rows;
}

const [source, target] = process.argv.slice(2);
if (!source || !target) {
  throw new Error('usage: extract-spec-rows.ts SPECIFICATION.txt ROWS.json');
}
const rows = extractRows(await readFile(source, 'utf8'));
await writeFile(target, `[\n${rows.map((row) => `  ${JSON.stringify(row)}`).join(',\n')}\n]\n`);
console.log(`${rows.length} rows`);
