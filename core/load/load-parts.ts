/** Reads parts of a program one after the other, and lets everything else have its turn between: as a whole they would hold it up for too long. */
export async function loadParts(parts: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const read of parts) {
    await read();
    await new Promise((resolve) => setImmediate(resolve));
  }
}
