import { leavesClassOpen, planDefaultClass } from '../kinds/networking/ingress/plan-default-class.ts';
import type { Ingress } from '../kinds/networking/ingress/schema.ts';
import type { ResourceClient } from '../platform/resources/resource-client.ts';
import type { AdmissionAttributes, AdmissionPlugin } from './admission-plugin.ts';
import { listAll } from './list-all.ts';

const ingressClasses = { group: 'networking.k8s.io', version: 'v1', resource: 'ingressclasses' };

/** Kubernetes' DefaultIngressClass: a new ingress that says nothing of its class gets the one that is marked as default, if any is. */
export class DefaultIngressClass implements AdmissionPlugin {
  readonly name = 'DefaultIngressClass';
  readonly #client: ResourceClient;
  readonly #group: string;

  /** `domain` is the installation's, in whose group ingresses are. */
  constructor(client: ResourceClient, domain: string) {
    this.#client = client;
    this.#group = `networking.${domain}`;
  }

  handles({ operation, resource, subresource }: AdmissionAttributes): boolean {
    const isIngress = resource.group === this.#group && resource.resource === 'ingresses';
    return isIngress && operation === 'CREATE' && subresource === undefined;
  }

  async mutate({ object }: AdmissionAttributes): Promise<void> {
    const ingress = object as Ingress | undefined;
    if (ingress === undefined || !leavesClassOpen(ingress)) return;
    const name = planDefaultClass(await listAll(this.#client, { resource: ingressClasses }));
    if (name !== undefined) ingress.spec = { ...ingress.spec, ingressClassName: name };
  }
}
