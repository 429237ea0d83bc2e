const MIN_CELL = 8;
const ROWS_AT_ONCE = 1000;

function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * The lines of a table in the manner of Kubernetes' dumps: cells end with a comma, each column is as wide as its longest cell and one more,
 * and the last is as it is. Many rows are aligned in slices, so that nobody is kept waiting.
 */
export async function alignTable(rows: Iterable<readonly string[]>): Promise<Buffer[]> {
  const table: (readonly string[])[] = [];
  const widths: number[] = [];
  for (const row of rows) {
    table.push(row);
    for (const [column, cell] of row.entries()) {
      // The comma and a space.
      widths[column] = Math.max(widths[column] ?? MIN_CELL, cell.length + 2);
    }
    if (table.length % ROWS_AT_ONCE === 0) await pause();
  }
  const blocks: Buffer[] = [];
  for (let from = 0; from < table.length; from += ROWS_AT_ONCE) {
    const lines = table.slice(from, from + ROWS_AT_ONCE).map((row) => alignRow(row, widths));
    blocks.push(Buffer.from(lines.join('')));
    await pause();
  }
  return blocks;
}

function alignRow(row: readonly string[], widths: readonly number[]): string {
  const last = row.length - 1;
  const cells = row.map((cell, column) => (column === last ? cell : `${cell},`.padEnd(widths[column] ?? MIN_CELL)));
  return `${cells.join('')}\n`;
}
