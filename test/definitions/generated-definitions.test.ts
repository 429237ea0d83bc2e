import { beforeAll, expect, it } from 'vitest';

import type { ClusterAnswer } from '../cluster/cluster-request.ts';
import { describeCluster } from '../cluster/describe-cluster.ts';
import { startCluster } from '../cluster/start-cluster.ts';
import { DefinitionGenerator } from './generate-definition.ts';
import { judgeDefinition } from './judge-definition.ts';

const isSoak = process.env['BAILIWICK_SOAK'] === '1';
const count = isSoak ? 10_000 : 1_000;
const seed = Number(process.env['BAILIWICK_SEED'] ?? (isSoak ? Math.floor(Math.random() * 2 ** 31) : 20_260_401));
const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All';

interface Outcome {
  readonly definition: string;
  readonly theirs: readonly string[];
  readonly ours: readonly string[];
}

interface Status {
  readonly message?: string;
  readonly details?: { readonly causes?: readonly { readonly field: string; readonly message: string }[] };
}

/** Faults as texts, sorted: where Go walks a map, their order changes; and the name of the type that Kubernetes makes up. */
function normalize(faults: readonly string[]): string[] {
  return faults.map((fault) => fault.replaceAll(/selfType\d*/g, 'selfType')).sort();
}

function readFaults({ status, body }: ClusterAnswer): string[] {
  if (status === 201) return [];
  const { message = '', details } = body as Status;
  return details?.causes?.map(({ field, message: text }) => `${field}: ${text}`) ?? [message];
}

describeCluster(`generated definitions (seed ${seed})`, () => {
  const outcomes: Outcome[] = [];

  beforeAll(async () => {
    const generator = new DefinitionGenerator(seed);
    const definitions = Array.from({ length: count }, (_, index) => generator.make(index));
    const cluster = await startCluster();
    try {
      for (const definition of definitions) {
        // A few make the real one panic, which ends the connection.
        const answer = await cluster.request('POST', path, { body: definition }).catch(() => undefined);
        const ours = judgeDefinition(definition);
        if (answer === undefined) continue;
        const theirs = readFaults(answer);
        outcomes.push({ definition: JSON.stringify(definition), theirs: normalize(theirs), ours: normalize(ours) });
      }
    } finally {
      await cluster.stop();
    }
  });

  it('are right and wrong', () => {
    const refused = outcomes.filter(({ theirs }) => theirs.length > 0);
    const faults = new Set(outcomes.flatMap(({ theirs }) => theirs.map((fault) => fault.replaceAll(/.*?: /g, ''))));
    console.log(`seed ${seed}: ${count} definitions, ${refused.length} refused, ${faults.size} kinds of faults`);
    expect(outcomes.length).toBeGreaterThan(count * 0.95);
    expect(refused.length).toBeGreaterThan(count / 4);
    expect(count - refused.length).toBeGreaterThan(count / 10);
  });

  it('are taken or refused as by a real API server, in the same words', () => {
    expect(outcomes.filter(({ theirs, ours }) => theirs.join('\n') !== ours.join('\n')).slice(0, 20)).toEqual([]);
  });
});
