import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { deepEqual } from '../../core/meta/deep.ts';
import { mandatoryFlowSchemas } from './flow-schema/mandatory.ts';
import type { FlowSchema } from './flow-schema/schema.ts';
import { suggestedFlowSchemas } from './flow-schema/suggested.ts';
import { autoUpdateAnnotation, planKeptFlowSchemas, planKeptPriorityLevels } from './plan-kept-objects.ts';
import { mandatoryPriorityLevels } from './priority-level-configuration/mandatory.ts';
import type { PriorityLevelConfiguration } from './priority-level-configuration/schema.ts';
import { suggestedPriorityLevels } from './priority-level-configuration/suggested.ts';
import { findFlowDifferences, type FlowAnswer, type FlowQuestion } from './testdata/find-flow-differences.ts';

interface Recorded {
  readonly bootstrap: {
    readonly schemas: readonly FlowSchema[];
    readonly levels: readonly PriorityLevelConfiguration[];
  };
  readonly configurations: readonly { readonly question: FlowQuestion; readonly answer: FlowAnswer }[];
}

const { bootstrap, configurations } = JSON.parse(
  readFileSync(new URL('testdata/recorded.json', import.meta.url), 'utf8'),
) as Recorded;

describe('what Kubernetes makes of configurations', () => {
  it.for(configurations.map((one, i) => [i, one] as const))('configuration %i', ([, { question, answer }]) => {
    expect(findFlowDifferences(question, answer)).toEqual([]);
  });
});

describe('what Kubernetes brings', () => {
  const ownSchemas = new Map([...mandatoryFlowSchemas, ...suggestedFlowSchemas]);
  const ownLevels = new Map([...mandatoryPriorityLevels, ...suggestedPriorityLevels]);

  it('is the same set of schemas and levels', () => {
    expect([...ownSchemas.keys()].toSorted()).toEqual(
      bootstrap.schemas.map(({ metadata }) => metadata.name ?? '').toSorted(),
    );
    expect([...ownLevels.keys()].toSorted()).toEqual(
      bootstrap.levels.map(({ metadata }) => metadata.name ?? '').toSorted(),
    );
  });

  it.for(bootstrap.schemas.map((schema) => [schema.metadata.name ?? '', schema] as const))(
    'schema %s',
    ([name, schema]) => {
      expect(deepEqual(ownSchemas.get(name), schema.spec)).toBe(true);
      expect(schema.metadata.annotations).toEqual({ [autoUpdateAnnotation]: 'true' });
    },
  );

  it.for(bootstrap.levels.map((level) => [level.metadata.name ?? '', level] as const))('level %s', ([name, level]) => {
    expect(deepEqual(ownLevels.get(name), level.spec)).toBe(true);
  });

  it('is kept without a write', () => {
    expect(planKeptFlowSchemas(bootstrap.schemas, 'k8s.io')).toEqual([]);
    expect(planKeptPriorityLevels(bootstrap.levels, 'k8s.io')).toEqual([]);
  });
});
