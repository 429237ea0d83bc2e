import { describe, expect, it } from 'vitest';
import { StatusError } from '../../../core/errors/status.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type { LedgerQuota } from '../../../kinds/core/resource-quota/quota-claim.ts';
import { ManualClock } from '../../../platform/process/manual-clock.ts';
import type { ResourceClient } from '../../../platform/resources/resource-client.ts';
import type { AdmissionAttributes } from '../../admission-plugin.ts';
import { MemoryClient, type MemoryClientOptions } from '../testdata/memory-client.ts';
import { makePod, makeResource, NAMESPACE } from '../testdata/quota-scene.ts';
import { UsageEvaluators } from '../usage-evaluators.ts';
import { ClaimQuotaPlugin } from './claim-quota-plugin.ts';
import { LedgerCache } from './ledger-cache.ts';

const quotas = makeResource('resourcequotas');

/** A plugin over quotas in memory; `behind` is what it knows of them besides. */
class Scene {
  readonly client: MemoryClient;
  readonly clock = new ManualClock();
  readonly failures: unknown[] = [];
  readonly plugin: ClaimQuotaPlugin;
  behind: LedgerQuota[] | undefined;

  constructor(options: MemoryClientOptions = {}, client?: Partial<ResourceClient>) {
    this.client = new MemoryClient(options);
    this.plugin = new ClaimQuotaPlugin({
      ...{
        client: (client ?? this.client) as ResourceClient,
        clock: this.clock,
        domain: 'example.com',
        random: () => 0.5,
      },
      quotas: new LedgerCache({ list: () => this.behind ?? this.client.read<LedgerQuota>('resourcequotas') }),
      evaluators: new UsageEvaluators([]),
      onFailure: (_doing, error) => this.failures.push(error),
    });
  }

  async addQuota(name: string, hard: Record<string, string>, used: Record<string, string>): Promise<void> {
    const status = { hard, used, count: { generation: 0, serial: 1 } };
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name }, spec: { hard }, status };
    await this.client.create({ resource: quotas, namespace: NAMESPACE }, quota);
  }

  readStatus(name: string) {
    return this.client.read<LedgerQuota>('resourcequotas').find(({ metadata }) => metadata.name === name)?.status;
  }

  /** Resolves to the code and message of the refusal, if there is one. */
  async ask(
    object: KubeObject,
    extra: Partial<AdmissionAttributes> = {},
  ): Promise<{ code: number; message?: string } | undefined> {
    try {
      await this.plugin.validate({
        ...{ operation: 'CREATE', resource: makeResource('pods'), kind: 'Pod', namespace: NAMESPACE, name: '' },
        ...{ object, dryRun: false, user: { username: 'u', groups: [] } },
        ...extra,
      });
      return undefined;
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      const { code, message = '' } = error.status;
      return { code, message };
    }
  }
}

function makeNamed(uid: string): KubeObject {
  const pod = makePod(uid, { cpu: '1' });
  return { ...pod, metadata: { ...pod.metadata, uid } };
}

describe('ClaimQuotaPlugin', () => {
  it('decides in the order of arrival, and stores what waits together in one swap', async () => {
    const scene = new Scene();
    await scene.addQuota('q', { pods: '3' }, { pods: '1' });
    const before = Number(scene.client.read('resourcequotas')[0]?.metadata.resourceVersion);
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((uid) => scene.ask(makeNamed(uid))));
    expect(answers.map((answer) => answer?.code)).toEqual([undefined, undefined, 403, 403]);
    expect(answers[3]?.message).toBe(
      'pods "d" is forbidden: exceeded quota: q, requested: pods=1, used: pods=3, limited: pods=3',
    );
    expect(scene.readStatus('q')).toMatchObject({ used: { pods: '3' }, count: { serial: 1 } });
    expect(scene.readStatus('q')?.claims).toHaveLength(2);
    // The first comes alone, the others while it is stored.
    expect(Number(scene.client.read('resourcequotas')[0]?.metadata.resourceVersion)).toBe(before + 2);
  });

  it('asks for the newest state before it refuses, and before it lets in', async () => {
    const scene = new Scene();
    await scene.addQuota('q', { pods: '1' }, { pods: '1' });
    scene.behind = structuredClone(scene.client.read<LedgerQuota>('resourcequotas'));
    const [quota] = scene.client.read<LedgerQuota>('resourcequotas');
    const status = { ...quota?.status, used: { pods: '0' } };
    await scene.client.update(
      { resource: quotas, namespace: NAMESPACE, name: 'q' },
      { ...(quota as KubeObject), status } as KubeObject,
      {},
      'status',
    );
    expect(await scene.ask(makeNamed('a'))).toBeUndefined();
    expect(await scene.ask(makeNamed('b'))).toMatchObject({ code: 403 });
  });

  it('takes back what it claimed of one quota when a later one has no room by then', async () => {
    let isTaken = false;
    const scene: Scene = new Scene({
      isConflicting(reference) {
        if (reference.name !== 'b' || isTaken) return false;
        isTaken = true;
        const [, b] = scene.client.read<LedgerQuota>('resourcequotas');
        if (b?.status?.used !== undefined) b.status.used['pods'] = '5';
        return true;
      },
    });
    await scene.addQuota('a', { pods: '5' }, { pods: '0' });
    await scene.addQuota('b', { pods: '5' }, { pods: '0' });
    expect(await scene.ask(makeNamed('u'))).toMatchObject({ code: 403 });
    expect(scene.readStatus('a')).toMatchObject({ used: { pods: '0' } });
    expect(scene.readStatus('a')).not.toHaveProperty('claims');
  });

  it('refuses what is not counted for its spec, after some time', async () => {
    const scene = new Scene();
    await scene.addQuota('q', { pods: '3' }, { pods: '1' });
    const [quota] = scene.client.read<LedgerQuota>('resourcequotas');
    if (quota !== undefined) quota.metadata.generation = 2;
    const asked = scene.ask(makeNamed('a'));
    const step = async (): Promise<void> => {
      scene.clock.advance(100);
      await new Promise((resolve) => setImmediate(resolve));
    };
    for (let i = 0; i < 40; i++) await step();
    expect(await asked).toEqual({
      code: 403,
      message: 'pods "a" is forbidden: status unknown for quota: q, resources: pods',
    });
  });

  it('records nothing for a dry run', async () => {
    const scene = new Scene();
    await scene.addQuota('q', { pods: '1' }, { pods: '0' });
    expect(await scene.ask(makeNamed('a'), { dryRun: true })).toBeUndefined();
    expect(scene.readStatus('q')).not.toHaveProperty('claims');
  });

  it.for([
    ['its own time', undefined, 7_000],
    ['the time that its caller has', 1_500, 1_500],
    ['no time, when its caller has none left', -100, 0],
  ] as const)('asks to try again when the host does not answer in %s', async ([, callerMillis, spentMillis]) => {
    const hanging = { get: () => new Promise<never>(() => {}), update: () => new Promise<never>(() => {}) };
    const scene = new Scene({}, hanging);
    await scene.addQuota('q', { pods: '1' }, { pods: '0' });
    const deadline = callerMillis === undefined ? {} : { deadlineMillis: scene.clock.now() + callerMillis };
    const asked = scene.ask(makeNamed('a'), deadline);
    await new Promise((resolve) => setImmediate(resolve));
    scene.clock.advance(spentMillis);
    expect(await asked).toEqual({
      code: 429,
      message: 'the quotas of the namespace could not be claimed in time, please try again',
    });
  });

  it('lets nobody in when the host fails', async () => {
    const error = new Error('connection refused');
    const scene = new Scene({}, { get: () => Promise.reject(error), update: () => Promise.reject(error) });
    await scene.addQuota('q', { pods: '1' }, { pods: '0' });
    expect(await scene.ask(makeNamed('a'))).toMatchObject({ code: 500 });
    expect(scene.failures).toEqual([error]);
  });
});
