/** The tables of a Markdown page that have these columns first, as rows of cells; backticks around a whole cell are dropped. */
export function readTables(markdown: string, columns: readonly string[]): string[][] {
  const rows: string[][] = [];
  let isWanted = false;
  let isInside = false;
  for (const line of markdown.split('\n')) {
    if (!line.startsWith('|')) {
      isInside = false;
      continue;
    }
    const cells = line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) =>
        cell
          .trim()
          .replace(/^`([^`]*)`$/, '$1')
          .replaceAll(String.raw`\|`, '|'),
      );
    if (!isInside) {
      isInside = true;
      isWanted = columns.every((column, index) => cells[index] === column);
    } else if (isWanted && !/^-+$/.test(cells[0] ?? '')) {
      rows.push(cells);
    }
  }
  return rows;
}
