import { serveThread } from '../serve-thread.ts';

/** What the thread of the tests is told to do. */
export type Calculation = { readonly square: number } | { readonly spin: true } | { readonly fault: string } | { readonly fill: true };

serveThread((task: Calculation): number => {
  if ('square' in task) return task.square ** 2;
  if ('fault' in task) throw new Error(task.fault);
  if ('fill' in task) {
    const kept: number[][] = [];
    for (;;) kept.push(Array.from({ length: 100_000 }, (_, i) => i + 0.5));
  }
  for (;;);
});
