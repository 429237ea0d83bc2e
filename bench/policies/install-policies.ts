import { waitUntil } from '../../test/cluster/wait-until.ts';
import { pickChecks } from './sample-policies.ts';

/** An API that holds policies: ours, or a host. */
export interface PolicyHolder {
  /** API group of the policies. */
  readonly group: string;
  /** Resolves to the answer's status. */
  send(method: string, path: string, body?: unknown): Promise<number>;
}

const podRule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['pods'] };
const policyCount = 16;
const parallelWrites = 16;
/** Pods of this label are refused once everything that was installed before is in force. */
const signal = 'bench.bailiwick.test/signal';

function makePolicy(group: string, name: string, spec: Record<string, unknown>): unknown {
  return { apiVersion: `${group}/v1`, kind: 'ValidatingAdmissionPolicy', metadata: { name }, spec };
}

function makeBinding(group: string, name: string, policyName: string, matchResources?: unknown): unknown {
  const spec = { policyName, validationActions: ['Deny'], ...(matchResources === undefined ? {} : { matchResources }) };
  return { apiVersion: `${group}/v1`, kind: 'ValidatingAdmissionPolicyBinding', metadata: { name }, spec };
}

/** Installs policies and bindings at one holder, which has the namespace `bench`. */
export class PolicyInstaller {
  readonly #holder: PolicyHolder;
  #round = 0;

  constructor(holder: PolicyHolder) {
    this.#holder = holder;
  }

  /** Replaces what is installed by `matching` bindings for pods, and `others` that are for other resources or namespaces. */
  async install(matching: number, others: number): Promise<void> {
    const { group } = this.#holder;
    this.#round += 1;
    await this.#write('DELETE', 'validatingadmissionpolicybindings');
    await this.#write('DELETE', 'validatingadmissionpolicies');
    const policies = Array.from({ length: policyCount }, (_, place) => {
      const spec = { validations: pickChecks(place), matchConstraints: { resourceRules: [podRule] } };
      return makePolicy(group, `pods-${place}`, spec);
    });
    const foreign = Array.from({ length: policyCount }, (_, place) => {
      const resourceRules = [{ ...podRule, apiGroups: ['apps'], resources: ['deployments'] }];
      return makePolicy(group, `deployments-${place}`, {
        validations: pickChecks(place),
        matchConstraints: { resourceRules },
      });
    });
    const elsewhere = { namespaceSelector: { matchLabels: { 'bench.bailiwick.test/other': 'yes' } } };
    const bindings = [
      ...Array.from({ length: matching }, (_, i) => makeBinding(group, `matching-${i}`, `pods-${i % policyCount}`)),
      ...Array.from({ length: others }, (_, i) =>
        i % 2 === 0
          ? makeBinding(group, `foreign-${i}`, `deployments-${i % policyCount}`)
          : makeBinding(group, `elsewhere-${i}`, `pods-${i % policyCount}`, elsewhere),
      ),
    ];
    await this.#createAll('validatingadmissionpolicies', [...policies, ...foreign]);
    await this.#createAll('validatingadmissionpolicybindings', bindings);
    await this.#awaitForce();
  }

  /** What is installed last tells that the rest is in force; it asks too little of a pod to count. */
  async #awaitForce(): Promise<void> {
    const { group } = this.#holder;
    const value = `round-${this.#round}`;
    const expression = `!has(object.metadata.labels) || !('${signal}' in object.metadata.labels) || object.metadata.labels['${signal}'] != '${value}'`;
    const resourceRules = [{ ...podRule, operations: ['CREATE'] }];
    const objectSelector = { matchLabels: { [signal]: value } };
    const spec = { validations: [{ expression }], matchConstraints: { resourceRules, objectSelector } };
    await this.#createAll('validatingadmissionpolicies', [makePolicy(group, value, spec)]);
    await this.#createAll('validatingadmissionpolicybindings', [makeBinding(group, value, value)]);
    const metadata = { name: 'signal', labels: { [signal]: value, app: 'web' } };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [{ name: 'web', image: 'web:1' }] } };
    await waitUntil(
      'the policies to be in force',
      async () => (await this.#holder.send('POST', '/api/v1/namespaces/bench/pods?dryRun=All', pod)) === 422,
    );
  }

  async #createAll(plural: string, objects: readonly unknown[]): Promise<void> {
    const waiting = [...objects];
    const work = async (): Promise<void> => {
      for (let object = waiting.shift(); object !== undefined; object = waiting.shift()) {
        await this.#write('POST', plural, object);
      }
    };
    await Promise.all(Array.from({ length: parallelWrites }, work));
  }

  async #write(method: string, plural: string, body?: unknown): Promise<void> {
    const status = await this.#holder.send(method, `/apis/${this.#holder.group}/v1/${plural}`, body);
    if (status >= 300) throw new Error(`${method} ${plural}: ${status}`);
  }
}
