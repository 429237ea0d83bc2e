import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Service, startService } from './service/start-service.ts';

const merge = { 'content-type': 'application/merge-patch+json' };

// Nobody counts, so that the budgets say what a test gives them.
describe('evictions, embedded', () => {
  let service: Service;
  let namespace: string;
  let made = 0;
  const pods = () => `/api/v1/namespaces/${namespace}/pods`;
  const budgets = () => `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;

  beforeAll(async () => {
    service = await startService({ flags: ['--controllers=*,-disruption-controller'] });
  });

  afterAll(async () => {
    await service?.stop();
  });

  async function expectAnswer(status: number, method: string, path: string, body?: object, headers = {}) {
    const answer = await service.request(method, path, { body, headers });
    expect(answer.status, `${method} ${path}: ${answer.text.slice(0, 500)}`).toBe(status);
    return answer.json;
  }

  async function open(...names: string[]): Promise<void> {
    namespace = `evictions-${made++}`;
    const metadata = { name: namespace };
    await expectAnswer(201, 'POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata });
    for (const name of names) {
      await expectAnswer(201, 'POST', pods(), {
        ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: { app: 'web' } } },
        spec: { containers: [{ name: 'c', image: 'i' }] },
      });
      const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
      await expectAnswer(200, 'PATCH', `${pods()}/${name}/status`, { status }, merge);
    }
  }

  async function makeBudget(name: string, status: object): Promise<void> {
    // Under its other name, which is that of a host.
    const path = budgets().replace('/policy/', '/policy.bailiwick.dev/');
    await expectAnswer(201, 'POST', path, {
      ...{ apiVersion: 'policy.bailiwick.dev/v1', kind: 'PodDisruptionBudget', metadata: { name } },
      spec: { minAvailable: 2, selector: { matchLabels: { app: 'web' } } },
    });
    const counts = { observedGeneration: 1, currentHealthy: 3, desiredHealthy: 2, expectedPods: 3, ...status };
    await expectAnswer(200, 'PATCH', `${budgets()}/${name}/status`, { status: counts }, merge);
  }

  async function readStatus(name: string) {
    return (await expectAnswer(200, 'GET', `${budgets()}/${name}`)).status;
  }

  function evict(name: string) {
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
    return service.request('POST', `${pods()}/${name}/eviction`, { body });
  }

  it('are refused when one of several budgets refuses, and none is charged', async () => {
    await open('a', 'b', 'c');
    await makeBudget('first', { disruptionsAllowed: 2 });
    await makeBudget('second', { disruptionsAllowed: 0, currentHealthy: 2 });
    await makeBudget('third', { disruptionsAllowed: 0, currentHealthy: 1 });
    const answer = await evict('a');
    expect(answer.status).toBe(429);
    expect(answer.json.details).toEqual({
      causes: [
        {
          reason: 'DisruptionBudget',
          message: 'The disruption budget second needs 2 healthy pods and has 2 currently',
        },
        { reason: 'DisruptionBudget', message: 'The disruption budget third needs 2 healthy pods and has 1 currently' },
      ],
    });
    expect(await readStatus('first')).toEqual({
      ...{ observedGeneration: 1, disruptionsAllowed: 2, currentHealthy: 3, desiredHealthy: 2, expectedPods: 3 },
    });
  });

  it('charge each of several budgets that allow them', async () => {
    await open('a', 'b', 'c');
    await makeBudget('first', { disruptionsAllowed: 2 });
    await makeBudget('second', { disruptionsAllowed: 1 });
    expect((await evict('a')).status).toBe(201);
    expect(await readStatus('first')).toMatchObject({
      disruptionsAllowed: 1,
      disruptedPods: { a: expect.any(String) },
    });
    expect(await readStatus('second')).toMatchObject({
      ...{ disruptionsAllowed: 0, disruptedPods: { a: expect.any(String) } },
      conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods' }],
    });
    expect((await evict('b')).status).toBe(429);
    expect(await readStatus('first')).toMatchObject({ disruptionsAllowed: 1 });
  });

  it('that were charged and not carried out are carried out when they are tried again', async () => {
    await open('a', 'b', 'c');
    const justNow = `${new Date(Date.now() - 5_000).toISOString().slice(0, 19)}Z`;
    await makeBudget('web', {
      disruptionsAllowed: 0,
      disruptedPods: { a: `${new Date().toISOString().slice(0, 19)}Z` },
    });
    expect((await evict('b')).status).toBe(429);
    expect((await evict('a')).status).toBe(201);
    const status = await readStatus('web');
    expect(status.disruptionsAllowed).toBe(0);
    expect(Date.parse(status.disruptedPods.a)).toBeGreaterThan(Date.parse(justNow));
  });

  it('go on in parallel, as many as a budget allows', async () => {
    const names = Array.from({ length: 30 }, (_, i) => `p${i}`);
    await open(...names);
    await makeBudget('web', { disruptionsAllowed: 25, currentHealthy: 30, desiredHealthy: 5, expectedPods: 30 });
    // Who has to connect first comes later.
    await Promise.all(names.map(() => service.request('GET', '/readyz')));
    const codes = await Promise.all(names.map(async (name) => (await evict(name)).status));
    expect(codes.filter((code) => code === 201)).toHaveLength(25);
    expect(codes.filter((code) => code === 429)).toHaveLength(5);
    const status = await readStatus('web');
    expect(status.disruptionsAllowed).toBe(0);
    expect(Object.keys(status.disruptedPods)).toHaveLength(25);
    // Some together, however slowly they come, and not all one after the other.
    const metrics = (await service.request('GET', '/metrics')).text;
    const stored = /bailiwick_eviction_charge_swaps_total\{result="stored"\} (\d+)/.exec(metrics)?.[1];
    const charged = /bailiwick_eviction_charges_total (\d+)/.exec(metrics)?.[1];
    expect(Number(charged)).toBeGreaterThanOrEqual(25);
    expect(Number(stored)).toBeLessThan(Number(charged));
  });

  it('are judged by policies for evictions before anything is charged, and by none for deletions', async () => {
    await open('a', 'b', 'c');
    await makeBudget('web', { disruptionsAllowed: 1 });
    const policies = '/apis/admissionregistration.bailiwick.dev/v1';
    const apiVersion = 'admissionregistration.bailiwick.dev/v1';
    const makePolicy = async (name: string, rule: object): Promise<void> => {
      await expectAnswer(201, 'POST', `${policies}/validatingadmissionpolicies`, {
        ...{ apiVersion, kind: 'ValidatingAdmissionPolicy', metadata: { name } },
        spec: {
          matchConstraints: { resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], ...rule }] },
          validations: [{ expression: `request.namespace != "${namespace}"`, message: name }],
        },
      });
      await expectAnswer(201, 'POST', `${policies}/validatingadmissionpolicybindings`, {
        ...{ apiVersion, kind: 'ValidatingAdmissionPolicyBinding', metadata: { name } },
        spec: { policyName: name, validationActions: ['Deny'] },
      });
    };
    await makePolicy('no-deletions', { operations: ['DELETE'], resources: ['pods'] });
    await expect.poll(async () => (await service.request('DELETE', `${pods()}/a?dryRun=All`)).status).toBe(422);
    await makePolicy('no-evictions', { operations: ['CREATE'], resources: ['pods/eviction'] });
    await expect.poll(async () => (await evict('none')).status).toBe(422);
    const refused = await evict('a');
    expect(refused.json.message).toContain('no-evictions');
    expect(await readStatus('web')).toMatchObject({ disruptionsAllowed: 1 });
    await expectAnswer(200, 'DELETE', `${policies}/validatingadmissionpolicybindings/no-evictions`);
    await expect.poll(async () => (await evict('a')).status).toBe(201);
    await expectAnswer(404, 'GET', `${pods()}/a`);
  });
});
