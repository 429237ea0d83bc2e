import { expect, it } from 'vitest';
import { alignTable } from './align-table.ts';
import { formatNanoTime } from './format-nano-time.ts';

it('makes each column as wide as its longest cell and one more, eight at least, and leaves the last', async () => {
  const rows = [
    ['Name', 'Count', 'Last'],
    ['a-long-name', '1', ''],
    ['', '123456789', 'x'],
  ];
  expect(Buffer.concat(await alignTable(rows)).toString()).toBe(
    ['Name,        Count,     Last', 'a-long-name, 1,         ', ',            123456789, x', ''].join('\n'),
  );
});

it('lets others go on after each thousand rows', async () => {
  const rows = Array.from({ length: 50_000 }, (_, row) => ['level', 'schema', String(row), 'a user', 'create', '/api']);
  const state = { turns: 0, isOver: false };
  const turn = (): void => {
    state.turns += 1;
    if (!state.isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const blocks = await alignTable(rows);
  state.isOver = true;
  expect(blocks.reduce((sum, block) => sum + block.length, 0)).toBeGreaterThan(50_000 * 30);
  expect(state.turns).toBeGreaterThanOrEqual(90);
});

it.for<[millis: number, nanos: number, expected: string]>([
  [Date.UTC(2026, 0, 2, 3, 4, 5), 0, '2026-01-02T03:04:05Z'],
  [Date.UTC(2026, 0, 2, 3, 4, 5), 1, '2026-01-02T03:04:05.000000001Z'],
  [Date.UTC(2026, 0, 2, 3, 4, 5, 120), 0, '2026-01-02T03:04:05.12Z'],
  [Date.UTC(2026, 0, 2, 3, 4, 5), -1, '2026-01-02T03:04:04.999999999Z'],
  [Date.UTC(2026, 0, 2, 3, 4, 5), 3_600_000_000_000, '2026-01-02T04:04:05Z'],
])('prints a time as Go does: %i ms and %i ns', ([millis, nanos, expected]) => {
  expect(formatNanoTime(millis, nanos)).toBe(expected);
});
