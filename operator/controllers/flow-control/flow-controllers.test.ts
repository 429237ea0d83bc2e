import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { UserInfo } from '../../../core/meta/user-info.ts';
import type { FlowSchema } from '../../../kinds/flowcontrol/flow-schema/schema.ts';
import type { FlowConfiguration } from '../../../kinds/flowcontrol/plan-flow-configuration.ts';
import { autoUpdateAnnotation } from '../../../kinds/flowcontrol/plan-kept-objects.ts';
import type { PriorityLevelConfiguration } from '../../../kinds/flowcontrol/priority-level-configuration/schema.ts';
import { buildKindRegistry } from '../../../kinds/registry.ts';
import { createSilentLogger } from '../../../platform/process/logger.ts';
import { ManualClock } from '../../../platform/process/manual-clock.ts';
import type { ResourceClient } from '../../../platform/resources/resource-client.ts';
import { openSqliteStore, type SqliteStore } from '../../../platform/store/sqlite-store.ts';
import { EmbeddedResources } from '../../apiserver/pipeline/embedded-resources.ts';
import { EventLoopYield } from '../../../platform/process/event-loop-yield.ts';
import type { Controller } from '../controller-parts.ts';
import { compileClassifier } from './compile-classifier.ts';
import { DanglingConditionController } from './dangling-condition-controller.ts';
import { nameFlowSchemas, namePriorityLevels } from './flow-resources.ts';
import { FollowedFlowConfiguration } from './followed-flow-configuration.ts';
import { KeptFlowObjectsController } from './kept-flow-objects-controller.ts';

const domain = 'example.org';
const apiVersion = `flowcontrol.apiserver.${domain}/v1`;
const system: UserInfo = { username: 'system:apiserver', groups: ['system:masters'] };
const schemas = nameFlowSchemas(domain);
const levels = namePriorityLevels(domain);
const minuteMillis = 60_000;
const waitMillis = 20_000;
const keptSchemas = 11;
const keptLevels = 8;

let directory: string;
let store: SqliteStore;
let client: ResourceClient;
let clock: ManualClock;
let options: {
  client: ResourceClient;
  clock: ManualClock;
  logger: ReturnType<typeof createSilentLogger>;
  domain: string;
};
let running: Controller[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'flow-controllers-'));
  store = await openSqliteStore({ file: join(directory, 'store.db') });
  clock = new ManualClock();
  const resources = new EmbeddedResources({ store, registry: buildKindRegistry(domain), now: () => clock.now() });
  resources.install({ plugins: [], handlers: [] });
  client = resources.clientFor(system);
  options = { client, clock, logger: createSilentLogger(), domain };
  running = [];
});

afterEach(async () => {
  for (const controller of running.toReversed()) await controller.close();
  await store.close();
  await rm(directory, { recursive: true, force: true });
});

function eventually(check: () => unknown): Promise<unknown> {
  return vi.waitFor(check, { timeout: waitMillis });
}

async function run<T extends Controller>(controller: T): Promise<T> {
  running.push(controller);
  await controller.start();
  return controller;
}

function makeSchema(name: string, level: string): FlowSchema {
  const spec = { priorityLevelConfiguration: { name: level }, matchingPrecedence: 100 };
  return { apiVersion, kind: 'FlowSchema', metadata: { name }, spec, status: {} };
}

function makeLevel(name: string): PriorityLevelConfiguration {
  return {
    ...{ apiVersion, kind: 'PriorityLevelConfiguration', metadata: { name }, status: {} },
    spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
  };
}

async function readDangling(name: string): Promise<string | undefined> {
  const { status } = await client.get<FlowSchema>({ resource: schemas, name });
  return (status.conditions ?? []).find(({ type }) => type === 'Dangling')?.status;
}

async function expectDangling(name: string, status: string): Promise<void> {
  await eventually(async () => expect(await readDangling(name)).toBe(status));
}

describe('KeptFlowObjectsController', () => {
  /** What the next look finds and mends. */
  async function lookAgain(check: () => Promise<void>): Promise<void> {
    await eventually(() => expect(clock.pendingCount).toBeGreaterThan(0));
    clock.advance(minuteMillis);
    await eventually(check);
  }

  beforeEach(async () => {
    await run(new KeptFlowObjectsController(options));
  });

  it('has made everything when it has started', async () => {
    expect((await client.list({ resource: schemas })).items).toHaveLength(keptSchemas);
    expect((await client.list({ resource: levels })).items).toHaveLength(keptLevels);
  });

  it('makes a deleted object again within a minute', async () => {
    await client.delete({ resource: schemas, name: 'catch-all' });
    await client.delete({ resource: levels, name: 'system' });
    await lookAgain(async () => {
      expect((await client.list({ resource: schemas })).items).toHaveLength(keptSchemas);
      expect((await client.list({ resource: levels })).items).toHaveLength(keptLevels);
    });
  });

  it('restores a suggested spec, but not one that people have taken over', async () => {
    const change = async (name: string, annotation: string): Promise<void> => {
      await client.patch({ resource: schemas, name }, 'application/merge-patch+json', {
        metadata: { annotations: { [autoUpdateAnnotation]: annotation } },
        spec: { matchingPrecedence: 77 },
      });
    };
    await change('probes', 'true');
    await change('system-nodes', 'false');
    await lookAgain(async () => {
      const { spec } = await client.get<FlowSchema>({ resource: schemas, name: 'probes' });
      expect(spec.matchingPrecedence).toBe(2);
    });
    const { spec } = await client.get<FlowSchema>({ resource: schemas, name: 'system-nodes' });
    expect(spec.matchingPrecedence).toBe(77);
  });

  it('removes what was suggested by another version, and nothing of people', async () => {
    const old = makeSchema('of-old', 'system');
    old.metadata.annotations = { [autoUpdateAnnotation]: 'true' };
    await client.create({ resource: schemas }, old);
    await client.create({ resource: schemas }, makeSchema('own', 'system'));
    await lookAgain(async () => {
      const names = (await client.list({ resource: schemas })).items.map(({ metadata }) => metadata.name);
      expect(names).not.toContain('of-old');
    });
    expect(await readDangling('own')).toBeUndefined();
  });

  it('writes nothing where nothing has changed', async () => {
    const before = (await client.list({ resource: schemas })).metadata.resourceVersion;
    const list = vi.spyOn(client, 'list');
    clock.advance(minuteMillis);
    await eventually(() => expect(list).toHaveBeenCalledTimes(2));
    await running.pop()?.close();
    list.mockRestore();
    expect((await client.list({ resource: schemas })).metadata.resourceVersion).toBe(before);
  });
});

describe('FollowedFlowConfiguration', () => {
  const listNames = ({ schemas: all }: FlowConfiguration) => all.map(({ metadata }) => metadata.name);

  it('has what every server has before anything is known', () => {
    const followed = new FollowedFlowConfiguration(options);
    expect(listNames(followed.current())).toEqual(['exempt', 'catch-all']);
    expect(followed.isKnown).toBe(false);
  });

  it('tells of specs that change, of many at once, and of no status', async () => {
    const followed = await run(new FollowedFlowConfiguration(options));
    const told: FlowConfiguration[] = [];
    followed.subscribe((configuration) => told.push(configuration));
    await client.create({ resource: levels }, makeLevel('l'));
    await Promise.all(['a', 'b', 'c'].map((name) => client.create({ resource: schemas }, makeSchema(name, 'l'))));
    await eventually(() => expect(listNames(followed.current())).toEqual(['exempt', 'a', 'b', 'c', 'catch-all']));
    expect(told.length).toBeLessThanOrEqual(4);
    const before = told.length;
    const status = { conditions: [{ type: 'Other', status: 'True' }] };
    await client.patch({ resource: schemas, name: 'a' }, 'application/merge-patch+json', { status }, {}, 'status');
    await eventually(() => expect(followed.schemas.get('a')?.status.conditions).toHaveLength(1));
    expect(told).toHaveLength(before);
    await client.delete({ resource: levels, name: 'l' });
    await eventually(() => expect(listNames(followed.current())).toEqual(['exempt', 'catch-all']));
    expect(followed.hasLevel('l')).toBe(false);
  });
});

describe('large schemas', () => {
  const many = 2_000;
  const numbers = Array.from({ length: many }, (_, i) => i);

  function makeLarge(name: string): FlowSchema {
    const subjects = numbers.map((i) => ({ kind: 'User', user: { name: `u${i}` } }));
    const rule = { verbs: ['*'], apiGroups: [''], resources: ['*'] };
    const resourceRules = numbers.map((i) => ({ ...rule, namespaces: [`n${i}`] }));
    const schema = makeSchema(name, 'l');
    return { ...schema, spec: { ...schema.spec, rules: [{ subjects, resourceRules }] } };
  }

  it('are compiled a slice at a time', async () => {
    const slices = new EventLoopYield();
    vi.spyOn(slices, 'isDue').mockReturnValue(true);
    const pause = vi.spyOn(slices, 'pause').mockResolvedValue();
    await compileClassifier([makeLarge('a')], slices);
    expect(pause.mock.calls.length).toBeGreaterThanOrEqual(2 * many);
    expect(pause.mock.calls.length).toBeLessThan(4 * many);
  });

  it('leave what was planned before in force while they are compiled, and what changes meanwhile comes after', async () => {
    await client.create({ resource: levels }, makeLevel('l'));
    let goOn: () => void = () => undefined;
    let opened = Promise.resolve();
    const compile = vi.fn(async (all: readonly FlowSchema[]) => {
      await opened;
      return await compileClassifier(all);
    });
    const followed = await run(new FollowedFlowConfiguration({ ...options, compile }));
    const told: string[][] = [];
    followed.subscribe(({ schemas: all }, classifier) => {
      expect(classifier.schemas).toBe(all);
      told.push(all.map(({ metadata }) => metadata.name ?? ''));
    });
    opened = new Promise<void>((resolve) => (goOn = resolve));
    await client.create({ resource: schemas }, makeSchema('a', 'l'));
    await eventually(() => expect(compile).toHaveBeenCalledTimes(2));
    await client.create({ resource: schemas }, makeSchema('b', 'l'));
    await eventually(() => expect(followed.schemas.get('b')).toBeDefined());
    expect(told).toEqual([]);
    expect(followed.current().schemas).toHaveLength(2);
    goOn();
    await eventually(() =>
      expect(told).toEqual([
        ['exempt', 'a', 'catch-all'],
        ['exempt', 'a', 'b', 'catch-all'],
      ]),
    );
  });
});

describe('DanglingConditionController', () => {
  beforeEach(async () => {
    const configuration = await run(new FollowedFlowConfiguration(options));
    await run(new DanglingConditionController({ ...options, configuration }));
  });

  it('follows the level of a schema', async () => {
    await client.create({ resource: schemas }, makeSchema('a', 'l'));
    await expectDangling('a', 'True');
    await client.create({ resource: levels }, makeLevel('l'));
    await expectDangling('a', 'False');
    await client.delete({ resource: levels, name: 'l' });
    await expectDangling('a', 'True');
  });

  it('leaves other conditions to others', async () => {
    await client.create({ resource: schemas }, makeSchema('a', 'l'));
    await expectDangling('a', 'True');
    const status = { conditions: [{ type: 'Other', status: 'True' }] };
    await client.patch(
      { resource: schemas, name: 'a' },
      'application/apply-patch+yaml',
      { apiVersion, kind: 'FlowSchema', metadata: { name: 'a' }, status },
      { fieldManager: 'other' },
      'status',
    );
    await client.create({ resource: levels }, makeLevel('l'));
    await expectDangling('a', 'False');
    const { status: written } = await client.get<FlowSchema>({ resource: schemas, name: 'a' });
    expect(written.conditions?.map(({ type }) => type).toSorted()).toEqual(['Dangling', 'Other']);
  });

  it('does not fight without end with one who says otherwise', async () => {
    await client.create({ resource: levels }, makeLevel('l'));
    await client.create({ resource: schemas }, makeSchema('a', 'l'));
    const spoil = async (): Promise<void> => {
      const { status } = await client.get<FlowSchema>({ resource: schemas, name: 'a' });
      const conditions = (status.conditions ?? []).map((condition) => ({ ...condition, status: 'True' }));
      const body = { status: { conditions } } as never;
      await client.patch({ resource: schemas, name: 'a' }, 'application/merge-patch+json', body, {}, 'status');
    };
    await expectDangling('a', 'False');
    const before = clock.pendingCount;
    let spoilt = 0;
    while (clock.pendingCount === before) {
      await spoil();
      spoilt += 1;
      await eventually(async () =>
        expect(clock.pendingCount > before || (await readDangling('a')) === 'False').toBe(true),
      );
    }
    expect(spoilt).toBeLessThanOrEqual(6);
    expect(await readDangling('a')).toBe('True');
    await eventually(async () => {
      clock.advance(minuteMillis);
      expect(await readDangling('a')).toBe('False');
    });
  });
});
