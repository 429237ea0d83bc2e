import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { mandatoryFlowSchemas } from '../kinds/flowcontrol/flow-schema/mandatory.ts';
import { suggestedFlowSchemas } from '../kinds/flowcontrol/flow-schema/suggested.ts';
import { mandatoryPriorityLevels } from '../kinds/flowcontrol/priority-level-configuration/mandatory.ts';
import { suggestedPriorityLevels } from '../kinds/flowcontrol/priority-level-configuration/suggested.ts';
import { describeCluster } from './cluster/describe-cluster.ts';
import { startCluster, type Cluster } from './cluster/start-cluster.ts';
import { waitUntil } from './cluster/wait-until.ts';
import { connectApi, readApiAccess, type ApiClient } from './host/connect-api.ts';
import { startService, type Service } from './service/start-service.ts';
import { startRelease, type ReleaseRun } from './start-webhooks.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- objects of any kind
type Json = any;

const isSoak = process.env['BAILIWICK_SOAK'] === '1';
const domain = 'flow.example';
const apiVersion = `flowcontrol.apiserver.${domain}/v1`;
const schemas = `/apis/${apiVersion}/flowschemas`;
const levels = `/apis/${apiVersion}/prioritylevelconfigurations`;
const keptSchemas = [...mandatoryFlowSchemas.keys(), ...suggestedFlowSchemas.keys()].toSorted();
const keptLevels = [...mandatoryPriorityLevels.keys(), ...suggestedPriorityLevels.keys()].toSorted();
/** Kept objects are looked at every minute. */
const keepMillis = 90_000;

const level = {
  ...{ apiVersion, kind: 'PriorityLevelConfiguration', metadata: { name: 'own' } },
  spec: { type: 'Limited', limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' } } },
};
const schema = {
  ...{ apiVersion, kind: 'FlowSchema', metadata: { name: 'own' } },
  spec: {
    priorityLevelConfiguration: { name: 'own' },
    matchingPrecedence: 5,
    rules: [
      {
        subjects: [{ kind: 'User', user: { name: 'ann' } }],
        resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
      },
    ],
  },
};

function namesOf(list: Json): string[] {
  return list.items.map(({ metadata }: Json) => metadata.name).toSorted();
}

function findCondition(object: Json, type: string): Json {
  return (object.status?.conditions ?? []).find((condition: Json) => condition.type === type);
}

describe('the objects of flow control, embedded', () => {
  let service: Service;
  const read = async (path: string): Promise<Json> => (await service.request('GET', path)).json;

  /** Name of the schema by which a request of this user is served. */
  async function findSchema(user: string): Promise<string> {
    const headers = { 'impersonate-user': user, 'impersonate-group': 'system:authenticated' };
    const { headers: told } = await service.request('GET', '/api/v1/namespaces/default/pods', { headers });
    const { items } = await read(schemas);
    const uid = told['x-kubernetes-pf-flowschema-uid'];
    return items.find(({ metadata }: Json) => metadata.uid === uid)?.metadata.name ?? 'none';
  }

  async function expectSchema(user: string, name: string): Promise<void> {
    await waitUntil(`the requests of ${user} to be served by ${name}`, async () => (await findSchema(user)) === name);
  }

  beforeAll(async () => {
    service = await startService({ domain });
  });
  afterAll(() => service?.stop());

  it('are there when the service is ready, and each schema has its level', async () => {
    const list = await read(schemas);
    expect(namesOf(list)).toEqual(keptSchemas);
    expect(namesOf(await read(levels))).toEqual(keptLevels);
    for (const item of list.items) expect(findCondition(item, 'Dangling')?.status).toBe('False');
  });

  it('take requests: a schema from when its level is there until that is deleted', async () => {
    await expectSchema('ann', 'global-default');
    await service.request('POST', schemas, { body: schema });
    await waitUntil('the schema to be found without its level', async () => {
      return findCondition(await read(`${schemas}/own`), 'Dangling')?.status === 'True';
    });
    expect(await findSchema('ann')).toBe('global-default');
    await service.request('POST', levels, { body: level });
    await expectSchema('ann', 'own');
    expect(await findSchema('bob')).toBe('global-default');
    await service.request('DELETE', `${levels}/own`);
    await expectSchema('ann', 'global-default');
    await service.request('DELETE', `${schemas}/own`);
  });

  it('are supplied while they are not stored', async () => {
    for (const path of [`${schemas}/catch-all`, `${levels}/catch-all`, `${schemas}/global-default`]) {
      expect((await service.request('DELETE', path)).status).toBe(200);
    }
    // What is not stored has no uid to tell.
    await expectSchema('ann', 'none');
  });

  it.runIf(isSoak)('come back within a minute', { timeout: 2 * keepMillis }, async () => {
    await expect
      .poll(async () => namesOf(await read(schemas)), { timeout: keepMillis, interval: 500 })
      .toEqual(keptSchemas);
    expect(namesOf(await read(levels))).toEqual(keptLevels);
    await expectSchema('ann', 'global-default');
  });
});

describeCluster('the objects of flow control, on a host', () => {
  let cluster: Cluster;
  let run: ReleaseRun;
  const clients: ApiClient[] = [];
  const read = async (path: string): Promise<Json> => (await cluster.request('GET', path)).body;

  beforeAll(async () => {
    cluster = await startCluster();
    run = await startRelease({ cluster, domain, operators: 2, replicas: 1 });
  });
  afterAll(async () => {
    for (const client of clients) client.close();
    await run?.stop();
    await cluster?.stop();
  });

  it("are made by the leader, as the host's own are", async () => {
    await waitUntil('the objects to be made', async () => {
      return namesOf(await read(schemas)).length === keptSchemas.length && namesOf(await read(levels)).length > 7;
    });
    for (const plural of ['flowschemas', 'prioritylevelconfigurations']) {
      const ours = await read(`/apis/${apiVersion}/${plural}`);
      const theirs = await read(`/apis/flowcontrol.apiserver.k8s.io/v1/${plural}`);
      const specOf = (list: Json) =>
        Object.fromEntries(list.items.map((item: Json) => [item.metadata.name, item.spec]));
      expect(specOf(ours)).toEqual(specOf(theirs));
    }
  });

  it('say whether their level is there, and what they guard', async () => {
    await cluster.request('POST', schemas, { body: schema });
    const expectConditions = (dangling: string, enforced: string) =>
      expect
        .poll(async () => {
          const object = await read(`${schemas}/own`);
          return [findCondition(object, 'Dangling')?.status, findCondition(object, 'Enforced')?.reason];
        })
        .toEqual([dangling, enforced]);
    await expectConditions('True', 'Dangling');
    await cluster.request('POST', levels, { body: level });
    await expectConditions('False', 'Enforced');
    const { message } = findCondition(await read(`${schemas}/own`), 'Enforced');
    expect(message).toContain('Generation 1 guards the API service and the aggregated endpoints of each replica');
    await expect.poll(async () => findCondition(await read(`${levels}/own`), 'Enforced')?.status).toBe('True');
  });

  it('dispatch requests to every replica', async () => {
    const { uid } = (await read(`${schemas}/exempt`)).metadata;
    for (const place of [0, 1]) {
      const client = connectApi(await readApiAccess(run.locateKubeconfig(place)));
      clients.push(client);
      await waitUntil('a request to be classified', async () => {
        const answer = await client.open('GET', '/api/v1/namespaces');
        answer.resume();
        return answer.headers['x-kubernetes-pf-flowschema-uid'] === uid;
      });
    }
  });
});
