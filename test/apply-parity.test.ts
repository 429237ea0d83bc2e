import { afterAll, beforeAll, expect, it } from 'vitest';

import { formatCollectionPath, makeStepRequest, type ApplyScenario } from './apply/apply-scenario.ts';
import { applyScenarios } from './apply/apply-scenarios.ts';
import { describeCluster } from './cluster/describe-cluster.ts';
import { startCluster, type Cluster } from './cluster/start-cluster.ts';
import { startService, type Service } from './service/start-service.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- objects of any kind, compared as a whole
type Json = any;

interface Answer {
  readonly status: number;
  readonly body: Json;
}

/** One of the two servers, as far as the scenarios need it. */
type Send = (method: string, path: string, contentType?: string, body?: unknown) => Promise<Answer>;

// Which updates are the oldest depends on the second in which each was made; a quota's status is written in between by a controller
// that the rig's API server is started without.
const scenarios = applyScenarios.filter(
  (scenario) => !scenario.title.includes('ancient-changes') && scenario.kind !== 'ResourceQuota',
);

/** Plays a scenario and returns, step by step, what the server made of it. */
async function play(send: Send, scenario: ApplyScenario): Promise<Json[]> {
  const namespace = `parity-${scenario.name}`;
  await send('POST', '/api/v1/namespaces', 'application/json', { metadata: { name: namespace } });
  // Pods need the account, which no controller makes on the rig.
  await send('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, 'application/json', {
    metadata: { name: 'default' },
  });
  const results: Json[] = [];
  for (const step of scenario.steps) {
    const found = await send('GET', `${formatCollectionPath(scenario, namespace)}/${scenario.name}`);
    const live = found.status === 200 ? found.body : undefined;
    const { method, path, contentType, body } = makeStepRequest(scenario, step, namespace, live);
    const answer = await send(method, path, contentType, body);
    // A 500 for what the client sent is a 400 here.
    const status = answer.status === 500 ? 400 : answer.status;
    results.push({ status, ...describeAnswer(answer.body, live, scenario) });
  }
  return results;
}

function sortByText(list: Json[]): Json[] {
  return list.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

function describeAnswer(body: Json, live: Json, scenario: ApplyScenario): Json {
  if (body.kind === 'Status') {
    // Kubernetes tells some faults of metadata two or three times, one kind more often than another.
    const causes = sortByText(
      [...new Set((body.details?.causes ?? []).map((cause: Json) => JSON.stringify(cause)))].map((text) =>
        JSON.parse(text as string),
      ),
    );
    // Kubernetes lists conflicts in no particular order of managers.
    const reason = body.code === 500 ? 'BadRequest' : body.reason;
    return { message: body.code === 422 ? undefined : body.message, reason, causes };
  }
  const object = structuredClone(body);
  const changed = live?.metadata.resourceVersion !== object.metadata.resourceVersion;
  for (const name of ['uid', 'resourceVersion', 'creationTimestamp']) delete object.metadata[name];
  // Times have whole seconds, which the two servers may cross between different steps.
  const managers = sortByText(
    (object.metadata.managedFields ?? []).map((entry: Json) => ({ ...entry, time: entry.time !== undefined })),
  );
  delete object.metadata.managedFields;
  // What an allocator of addresses fills in is not there without a data plane.
  const allocated = ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'].map((name) => ['spec', name]);
  for (const [first, second] of [...allocated, ...(scenario.admittedFields ?? [])]) {
    delete object[first!]?.[second!];
  }
  for (const port of object.spec?.ports ?? []) delete port.nodePort;
  return { changed, object, managers };
}

describeCluster('the running service and a real API server, given the same writes', () => {
  let service: Service;
  let cluster: Cluster;
  let sendToService: Send;
  let sendToCluster: Send;

  beforeAll(async () => {
    [service, cluster] = await Promise.all([
      startService({ domain: 'k8s.io' }),
      startCluster({ controllerManager: false }),
    ]);
    sendToService = async (method, path, contentType = 'application/json', body) => {
      const answer = await service.request(method, path, { body, headers: { 'content-type': contentType } });
      return { status: answer.status, body: answer.json };
    };
    sendToCluster = (method, path, contentType = 'application/json', body) =>
      cluster.request(method, path, { body, headers: { 'content-type': contentType } });
  });
  afterAll(async () => {
    await Promise.all([service?.stop(), cluster?.stop()]);
  });

  it.for(scenarios)('$kind: $title', async (scenario) => {
    const [ours, theirs] = await Promise.all([play(sendToService, scenario), play(sendToCluster, scenario)]);
    for (const [i, expected] of theirs.entries()) {
      expect(ours[i], `step ${i + 1} (${scenario.steps[i]!.verb} by ${scenario.steps[i]!.manager})`).toEqual(expected);
    }
  });
});
