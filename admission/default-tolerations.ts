import type { KubeObject } from '../core/meta/kube-object.ts';
import type { NodeTaintKeys } from '../kinds/core/node/node-taint-keys.ts';
import { addDefaultTolerations, type Toleration } from '../kinds/core/node/tolerations.ts';
import type { AdmissionAttributes, AdmissionPlugin } from './admission-plugin.ts';

/** How long pods put up with a node in trouble, unless they say so themselves. */
export interface TolerationTimes {
  readonly notReadyTolerationSeconds: number;
  readonly unreachableTolerationSeconds: number;
}

/** Kubernetes' DefaultTolerationSeconds: a pod that says nothing of nodes that are not ready, or out of reach, tolerates them for a time. */
export class DefaultTolerations implements AdmissionPlugin {
  readonly name = 'DefaultTolerationSeconds';
  readonly #prefix: string;
  readonly #defaults: readonly { readonly key: string; readonly seconds: number }[];

  constructor(keys: NodeTaintKeys, { notReadyTolerationSeconds, unreachableTolerationSeconds }: TolerationTimes) {
    this.#prefix = keys.prefix;
    this.#defaults = [
      { key: keys.notReady, seconds: notReadyTolerationSeconds },
      { key: keys.unreachable, seconds: unreachableTolerationSeconds },
    ];
  }

  handles({ operation, resource, subresource }: AdmissionAttributes): boolean {
    const isPod = resource.group === '' && resource.resource === 'pods' && subresource === undefined;
    return isPod && (operation === 'CREATE' || operation === 'UPDATE');
  }

  async mutate({ object }: AdmissionAttributes): Promise<void> {
    if (object === undefined) return;
    const pod = object as KubeObject & { spec?: { tolerations?: Toleration[] } };
    const tolerations = addDefaultTolerations(pod.spec?.tolerations ?? [], this.#defaults, this.#prefix);
    if (tolerations !== undefined) pod.spec = { ...pod.spec, tolerations };
  }
}
