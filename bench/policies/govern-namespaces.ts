import type { Cluster } from '../../test/cluster/start-cluster.ts';
import { waitUntil } from '../../test/cluster/wait-until.ts';
import { requestOk } from '../admission/subjects.ts';
import { pickChecks } from './sample-policies.ts';

const policyCount = 100;
const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['pods'] };

/** What all policies of a namespace match: its pods. */
function makeConstraints(namespace: string): unknown {
  return {
    resourceRules: [rule],
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
  };
}

async function awaitForce(cluster: Cluster, namespace: string): Promise<void> {
  const pod = {
    metadata: { name: 'unlawful' },
    spec: { hostNetwork: true, containers: [{ name: 'web', image: 'web' }] },
  };
  // Policies come into force one by one; the refusals of the last of them are what matters.
  let refusals = 0;
  await waitUntil(`the policies of ${namespace}`, async () => {
    const { status } = await cluster.request('POST', `/api/v1/namespaces/${namespace}/pods?dryRun=All`, { body: pod });
    refusals = status === 201 ? 0 : refusals + 1;
    return refusals >= 50;
  });
}

/** Makes a namespace whose pods are judged by a hundred policies of Bailiwick's, as by `pickChecks`; resolves when they are in force. */
export async function governByBailiwick(
  cluster: Cluster,
  namespace: string,
  { domain, distinct }: { readonly domain: string; readonly distinct: boolean },
): Promise<void> {
  await requestOk(cluster, 'POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  const version = `admissionregistration.${domain}/v1`;
  for (let place = 0; place < policyCount; place += 1) {
    const metadata = { name: `check-${place}` };
    await requestOk(cluster, 'POST', `/apis/${version}/validatingadmissionpolicies`, {
      ...{ apiVersion: version, kind: 'ValidatingAdmissionPolicy', metadata },
      spec: { matchConstraints: makeConstraints(namespace), validations: pickChecks(place, distinct) },
    });
    await requestOk(cluster, 'POST', `/apis/${version}/validatingadmissionpolicybindings`, {
      ...{ apiVersion: version, kind: 'ValidatingAdmissionPolicyBinding', metadata },
      spec: { policyName: metadata.name, validationActions: ['Deny'] },
    });
  }
  await awaitForce(cluster, namespace);
}

/** The same with Kyverno's policies of the same expressions. */
export async function governByKyverno(cluster: Cluster, namespace: string, distinct: boolean): Promise<void> {
  await requestOk(cluster, 'POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  const version = 'policies.kyverno.io/v1';
  for (let place = 0; place < policyCount; place += 1) {
    await requestOk(cluster, 'POST', `/apis/${version}/validatingpolicies`, {
      ...{ apiVersion: version, kind: 'ValidatingPolicy', metadata: { name: `check-${place}` } },
      spec: {
        ...{ validationActions: ['Deny'], failurePolicy: 'Fail', evaluation: { background: { enabled: false } } },
        // Policies for what makes pods would be further ones.
        autogen: { podControllers: { controllers: [] } },
        ...{ matchConstraints: makeConstraints(namespace), validations: pickChecks(place, distinct) },
      },
    });
  }
  await awaitForce(cluster, namespace);
}
