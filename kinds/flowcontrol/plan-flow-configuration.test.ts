import { describe, expect, it } from 'vitest';
import { planDanglingCondition } from './flow-schema/plan-dangling-condition.ts';
import type { FlowSchema } from './flow-schema/schema.ts';
import { planFlowConfiguration } from './plan-flow-configuration.ts';
import type { PriorityLevelConfiguration, PriorityLevelSpec } from './priority-level-configuration/schema.ts';

const apiVersion = 'flowcontrol.apiserver.example.org/v1';
const reject: PriorityLevelSpec = {
  type: 'Limited',
  limited: { nominalConcurrencyShares: 5, lendablePercent: 0, limitResponse: { type: 'Reject' } },
};

function makeSchema(name: string, level: string, matchingPrecedence = 100): FlowSchema {
  const spec = { priorityLevelConfiguration: { name: level }, matchingPrecedence };
  return { apiVersion, kind: 'FlowSchema', metadata: { name, uid: `uid-${name}` }, spec, status: {} };
}

function makeLevel(name: string, spec: PriorityLevelSpec = reject): PriorityLevelConfiguration {
  return { apiVersion, kind: 'PriorityLevelConfiguration', metadata: { name, uid: `uid-${name}` }, spec, status: {} };
}

function names(schemas: readonly FlowSchema[]): (string | undefined)[] {
  return schemas.map(({ metadata }) => metadata.name);
}

describe('planFlowConfiguration', () => {
  it('has what every server has where nothing is stored', () => {
    const { schemas, levels } = planFlowConfiguration([], [], 'example.org');
    expect(names(schemas)).toEqual(['exempt', 'catch-all']);
    expect([...levels.keys()].toSorted()).toEqual(['catch-all', 'exempt']);
    expect(schemas[0]?.apiVersion).toBe(apiVersion);
  });

  it('asks schemas by precedence, then by name', () => {
    const stored = [makeSchema('c', 'l', 7), makeSchema('b', 'l'), makeSchema('B', 'l'), makeSchema('a', 'l')];
    const { schemas } = planFlowConfiguration(stored, [makeLevel('l')], 'example.org');
    expect(names(schemas)).toEqual(['exempt', 'c', 'B', 'a', 'b', 'catch-all']);
  });

  it('takes stored objects in place of its own', () => {
    const stored = [makeSchema('catch-all', 'catch-all', 10_000), makeSchema('exempt', 'exempt', 1)];
    const levels = [makeLevel('catch-all'), makeLevel('exempt', { type: 'Exempt', exempt: {} })];
    const planned = planFlowConfiguration(stored, levels, 'example.org');
    expect(planned.schemas.map(({ metadata }) => metadata.uid)).toEqual(['uid-exempt', 'uid-catch-all']);
    expect(planned.levels.get('exempt')?.metadata.uid).toBe('uid-exempt');
  });

  it('leaves out schemas without their level, even one that would only be supplied', () => {
    const stored = [makeSchema('a', 'gone'), makeSchema('b', 'catch-all'), makeSchema('c', 'l')];
    const { schemas, dangling } = planFlowConfiguration(stored, [makeLevel('l')], 'example.org');
    expect(names(schemas)).toEqual(['exempt', 'c', 'catch-all']);
    expect([...dangling]).toEqual(['a', 'b']);
  });

  it.for<[spec: PriorityLevelSpec, name: string, fault: string]>([
    [{ type: 'Limited' }, 'l', 'broken union structure at the top, for Limited'],
    [{ ...reject, exempt: {} }, 'l', 'broken union structure at the top, for Exempt'],
    [{ type: 'Exempt' }, 'exempt', 'broken union structure at the top, for Exempt'],
    [{ type: 'Exempt', exempt: {} }, 'l', 'non-alignment between name and type'],
    [reject, 'exempt', 'non-alignment between name and type'],
    [
      { type: 'Limited', limited: { limitResponse: { type: 'Queue' } } },
      'l',
      'broken union structure for limit response',
    ],
  ])('leaves out a level of %j named %s', ([spec, name, fault]) => {
    const planned = planFlowConfiguration([makeSchema('a', name)], [makeLevel(name, spec)], 'example.org');
    expect([...planned.brokenLevels]).toEqual([[name, fault]]);
    expect([...planned.dangling]).toEqual(['a']);
  });
});

describe('planDanglingCondition', () => {
  const start = 'This FlowSchema references the PriorityLevelConfiguration object named "l"';
  const found = { type: 'Dangling', status: 'False', reason: 'Found', message: `${start} and it exists` };
  const missing = {
    type: 'Dangling',
    status: 'True',
    reason: 'NotFound',
    message: `${start} but there is no such object`,
  };
  const say = (condition: typeof found): FlowSchema => ({
    ...makeSchema('a', 'l'),
    status: { conditions: [{ ...condition, lastTransitionTime: '2026-01-01T00:00:00Z' }] },
  });

  it.for<[what: string, schema: FlowSchema, isThere: boolean, expected: typeof found | undefined]>([
    ['a new schema with its level', makeSchema('a', 'l'), true, found],
    ['a new schema without its level', makeSchema('a', 'l'), false, missing],
    ['one that says so', say(found), true, undefined],
    ['one whose level is gone', say(found), false, missing],
    ['one whose level came', say(missing), true, found],
    ['one that says it of another level', say({ ...found, message: 'other' }), true, found],
  ])('%s', ([, schema, isThere, expected]) => {
    expect(planDanglingCondition(schema, isThere)).toEqual(expected);
  });
});
