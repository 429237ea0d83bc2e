import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { FlowSchema } from '../../kinds/flowcontrol/flow-schema/schema.ts';
import {
  autoUpdateAnnotation,
  planKeptFlowSchemas,
  planKeptPriorityLevels,
} from '../../kinds/flowcontrol/plan-kept-objects.ts';
import type { PriorityLevelConfiguration } from '../../kinds/flowcontrol/priority-level-configuration/schema.ts';
import type { Random } from '../cel/generator/random.ts';
import type { FlowOracleRequest } from '../oracle/flow-oracle-protocol.ts';

const domain = 'k8s.io';
const annotationValues = ['true', 'false', 'T', '0', 'maybe', ''];

/** All objects that are kept, as a server makes them. */
function makeAll<T extends KubeObject>(writes: readonly { readonly action: string; readonly object?: T }[]): T[] {
  return writes.flatMap(({ object }) => (object === undefined ? [] : [{ ...object, status: {} }]));
}

/** Whose annotation, generation or name people and other versions have changed. */
function changeMetadata<T extends KubeObject>(random: Random, object: T): T {
  const generation = random.pick([1, 1, 2]);
  const name = random.chance(0.1) ? `${object.metadata.name}-old` : (object.metadata.name ?? '');
  const annotations: Record<string, string> = { other: 'x' };
  if (random.chance(0.8)) annotations[autoUpdateAnnotation] = random.pick(annotationValues);
  return { ...object, metadata: { name, generation, ...(random.chance(0.9) ? { annotations } : {}) } };
}

function changeSchema(random: Random, schema: FlowSchema): FlowSchema {
  const changed = changeMetadata(random, schema);
  if (random.chance(0.6)) return changed;
  return { ...changed, spec: { ...changed.spec, matchingPrecedence: 77 } };
}

function changeLevel(random: Random, level: PriorityLevelConfiguration): PriorityLevelConfiguration {
  const changed = changeMetadata(random, level);
  const { limited, exempt } = changed.spec;
  if (random.chance(0.5)) return changed;
  const part = { nominalConcurrencyShares: 7, ...(random.chance(0.5) ? { lendablePercent: 5 } : {}) };
  return {
    ...changed,
    spec: {
      ...changed.spec,
      ...(limited === undefined ? {} : { limited: { ...limited, ...part } }),
      ...(exempt === undefined ? {} : { exempt: { ...exempt, ...part } }),
    },
  };
}

/** Stored objects, some of which are missing, changed, or kept no longer. */
export function generateKeptQuestion(random: Random): Required<Pick<FlowOracleRequest, 'keep' | 'schemas' | 'levels'>> {
  const choose = <T>(all: readonly T[], change: (random: Random, object: T) => T): T[] =>
    all.filter(() => random.chance(0.8)).map((object) => (random.chance(0.5) ? object : change(random, object)));
  return {
    keep: true,
    schemas: choose(makeAll(planKeptFlowSchemas([], domain)), changeSchema),
    levels: choose(makeAll(planKeptPriorityLevels([], domain)), changeLevel),
  };
}
