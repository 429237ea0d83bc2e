import { defineConfig } from 'vitest/config';

// What measures this machine, must keep time, or looks for what others left on it, has it to itself.
const alone = ['test/cluster/node-leftovers.test.ts', 'test/service-memory.test.ts', 'test/node-lifecycle*.test.ts'];
/** A poll waits for what must come; when it comes depends on what else the machine does. */
const suites = { testTimeout: 300_000, hookTimeout: 1_800_000, expect: { poll: { timeout: 60_000 } } };

// `unit` runs beside the code in seconds; `suites` start processes and mostly wait for them, so two run at once; `alone` one by one, last.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{core,kinds,platform,admission,operator,webhooks,agent,tools}/**/*.test.ts'],
          ...{ testTimeout: 60_000, hookTimeout: 60_000 },
          expect: { poll: { timeout: 20_000 } },
          setupFiles: ['tools/seed-properties.ts'],
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...suites,
          name: 'suites',
          include: ['test/**/*.test.ts'],
          exclude: alone,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...suites,
          name: 'alone',
          include: alone,
          maxWorkers: 1,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
