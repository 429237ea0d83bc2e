import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { StatusError } from '../../../core/errors/status.ts';
import type { ResourceQuota } from '../../../kinds/core/resource-quota/schema.ts';
import { ManualClock } from '../../../platform/process/manual-clock.ts';
import type { AdmissionAttributes } from '../../admission-plugin.ts';
import { QuotaLedger } from '../quota-ledger.ts';
import type { QuotaServices } from '../recount-quota.ts';
import { ResourceQuotaPlugin } from '../resource-quota-plugin.ts';
import { UsageEvaluators } from '../usage-evaluators.ts';
import { MemoryClient, type MemoryClientOptions } from './memory-client.ts';

export const NAMESPACE = 'n';

/** A clock that stands still, but for waits that are too short to matter. */
class SceneClock extends ManualClock {
  override schedule(delayMillis: number, callback: () => void): () => void {
    if (delayMillis >= 100) return super.schedule(delayMillis, callback);
    const pending = setImmediate(callback);
    return () => clearImmediate(pending);
  }
}

const core = { group: '', version: 'v1', namespaced: true };

/** A plugin over objects in memory, with the writes that a pipeline would make around it. */
export class QuotaScene {
  readonly client: MemoryClient;
  readonly clock = new SceneClock();
  readonly ledger = new QuotaLedger();
  readonly evaluators = new UsageEvaluators([
    { ...core, plural: 'pods' },
    { ...core, plural: 'services' },
    { ...core, plural: 'configmaps' },
    { ...core, plural: 'persistentvolumeclaims' },
    { ...core, plural: 'resourcequotas' },
    { ...core, group: 'apps', plural: 'deployments' },
  ]);
  readonly failures: unknown[] = [];
  readonly plugin: ResourceQuotaPlugin;
  #uid = 0;

  constructor(options: MemoryClientOptions = {}) {
    this.client = new MemoryClient(options);
    this.plugin = new ResourceQuotaPlugin({ ...this.services, onFailure: (error) => this.failures.push(error) });
  }

  async createQuota(name: string, hard: Record<string, string>, spec: object = {}): Promise<void> {
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name }, spec: { hard, ...spec }, status: {} };
    await this.client.create({ resource: makeResource('resourcequotas'), namespace: NAMESPACE }, quota);
  }

  /** What charging and counting share. */
  get services(): QuotaServices {
    return { client: this.client, clock: this.clock, ledger: this.ledger, evaluators: this.evaluators };
  }

  readUsed(name: string): Record<string, string> {
    const quota = this.client.read<ResourceQuota>('resourcequotas').find(({ metadata }) => metadata.name === name);
    return { ...quota?.status?.used };
  }

  makeAttributes(resource: string, object: KubeObject, oldObject?: KubeObject, extra: object = {}): AdmissionAttributes {
    return {
      operation: oldObject === undefined ? 'CREATE' : 'UPDATE',
      resource: makeResource(resource),
      kind: object.kind,
      namespace: NAMESPACE,
      name: object.metadata.name ?? '',
      object,
      ...(oldObject === undefined ? {} : { oldObject }),
      dryRun: false,
      user: { username: 'u', groups: [] },
      ...extra,
    };
  }

  /** Creates as the pipeline does: reserve, store, settle; `fails` makes the storing fail. Resolves to the refusal, if any. */
  async create(resource: string, object: KubeObject, fails = false): Promise<string | undefined> {
    const named: KubeObject = {
      ...object,
      metadata: { ...object.metadata, uid: `u${(this.#uid += 1)}`, namespace: NAMESPACE },
    };
    return this.#write(this.makeAttributes(resource, named), fails, () =>
      this.client.create({ resource: makeResource(resource), namespace: NAMESPACE }, named),
    );
  }

  /** Updates as the pipeline does, once: a conflict is an answer. */
  async update(
    resource: string,
    name: string,
    change: (object: KubeObject) => KubeObject,
    fails = false,
  ): Promise<string | undefined> {
    const reference = { resource: makeResource(resource), namespace: NAMESPACE, name };
    const old = await this.client.get(reference);
    const object = change(structuredClone(old));
    return this.#write(this.makeAttributes(resource, object, old), fails, () => this.client.update(reference, object));
  }

  async delete(resource: string, name: string): Promise<void> {
    await this.client.delete({ resource: makeResource(resource), namespace: NAMESPACE, name });
  }

  async #write(attributes: AdmissionAttributes, fails: boolean, store: () => Promise<unknown>) {
    try {
      const reservation = this.plugin.handles(attributes) ? await this.plugin.reserve(attributes) : undefined;
      try {
        if (fails) throw new Error('the store failed');
        await store();
        reservation?.settle();
      } catch (error) {
        await reservation?.undo();
        throw error;
      }
    } catch (error) {
      if (error instanceof StatusError) return error.status.message;
      return fails ? 'failed' : Promise.reject(error);
    }
    return undefined;
  }
}

/** The name of a resource of the core group. */
export function makeResource(resource: string) {
  return { group: '', version: 'v1', resource };
}

/** A pod with one container `c`. */
export function makePod(name: string, requests: Record<string, string> = {}, spec: object = {}): KubeObject {
  const container = { name: 'c', image: 'i', resources: { requests } };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers: [container], ...spec } } as KubeObject;
}

/** A service of a type with some ports. */
export function makeService(name: string, type: string, ports: number): KubeObject {
  const list = Array.from({ length: ports }, (_, i) => ({ port: i + 1 }));
  return { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { type, ports: list } } as KubeObject;
}
