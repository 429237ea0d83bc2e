import { afterAll, beforeAll, expect, it } from 'vitest';

import type { CustomAnswer } from '../kinds/apiextensions/custom-resource/testdata/custom-case.ts';
import { allCases } from '../kinds/apiextensions/custom-resource/testdata/all-cases.ts';
import { describeCluster } from './cluster/describe-cluster.ts';
import { startCluster, type Cluster } from './cluster/start-cluster.ts';
import { compareGenerated } from './custom-resources/compare-generated.ts';
import { generateSchemas } from './custom-resources/generate-schemas.ts';
import { defineCases, playCase, type Send } from './custom-resources/play-case.ts';

describeCluster('custom objects, by a real API server', () => {
  let cluster: Cluster;
  let send: Send;

  beforeAll(async () => {
    cluster = await startCluster();
    send = (method, path, body) =>
      cluster.request(method, path, {
        ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
      });
    await defineCases(send, allCases);
  }, 240_000);

  afterAll(() => cluster?.stop());

  it('are answered as the recorded answers say', { timeout: 240_000 }, async () => {
    const answers: Record<string, CustomAnswer[]> = {};
    for (const one of allCases) answers[one.name] = await playCase(send, one);
    const text = `${JSON.stringify(answers, undefined, 1)}\n`;
    await expect(text).toMatchFileSnapshot('../kinds/apiextensions/custom-resource/testdata/answers.json');
  });

  it('are answered as by ours, whatever the schema', { timeout: 900_000 }, async () => {
    const isSoak = process.env['BAILIWICK_SOAK'] === '1';
    const seed = Number(process.env['BAILIWICK_SEED'] ?? (isSoak ? Date.now() % 1_000_000 : 1));
    const { differences, writes, refused } = await compareGenerated(send, generateSchemas(seed, isSoak ? 600 : 60));
    console.log(`seed ${seed}: ${writes} writes, ${refused} of them refused`);
    expect(differences).toEqual([]);
    expect(refused / writes).toBeGreaterThan(0.3);
  });
});
