import { changeTaints, hasTaint } from '../kinds/core/node/change-taints.ts';
import type { NodeObject } from '../kinds/core/node/node-object.ts';
import type { NodeTaintKeys } from '../kinds/core/node/node-taint-keys.ts';
import type { AdmissionAttributes, AdmissionPlugin } from './admission-plugin.ts';

/** Kubernetes' TaintNodesByCondition: a new node takes no pods before it is known to be ready. */
export class NewNodeTaint implements AdmissionPlugin {
  readonly name = 'TaintNodesByCondition';
  readonly #key: string;

  constructor(keys: NodeTaintKeys) {
    this.#key = keys.notReady;
  }

  handles({ operation, resource, subresource }: AdmissionAttributes): boolean {
    const isNode = resource.group === '' && resource.resource === 'nodes' && subresource === undefined;
    return isNode && operation === 'CREATE';
  }

  async mutate({ object }: AdmissionAttributes): Promise<void> {
    if (object === undefined) return;
    const node = object as NodeObject;
    const taint = { key: this.#key, effect: 'NoSchedule' };
    const taints = node.spec?.taints ?? [];
    // One that the node brings stays as it is.
    if (hasTaint(taints, taint)) return;
    node.spec = { ...node.spec, taints: changeTaints(taints, { add: [taint] }) ?? [] };
  }
}
