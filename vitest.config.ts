import { defineConfig } from 'vitest/config';

// Two projects: `unit` runs beside the code in seconds; `suites` start processes, so few of them run at once.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{core,kinds,platform,admission,operator,webhooks,tools}/**/*.test.ts'],
          testTimeout: 30_000,
          setupFiles: ['tools/seed-properties.ts'],
        },
      },
      {
        test: {
          name: 'suites',
          include: ['test/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 1_800_000,
          maxWorkers: 1,
          fileParallelism: false,
        },
      },
    ],
  },
});
