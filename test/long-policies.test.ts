import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { type Service, type ServiceResponse, startService } from './service/start-service.ts';

const group = '/apis/admissionregistration.bailiwick.dev/v1';
const policies = `${group}/validatingadmissionpolicies`;
const sound = `${"has(object.data) && object.data.x == 'a' && ".repeat(2_000)}true`;
const faulty = `${"nothing == 'a' && ".repeat(5_000)}true`;
/** Each answer of these is a turn that everything else had; what holds the event loop lets only those through that came before it. */
const fewestTurns = 10;

function makePolicy(name: string, expressions: readonly string[]): object {
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };
  return {
    apiVersion: 'admissionregistration.bailiwick.dev/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      validations: expressions.map((expression) => ({ expression })),
    },
  };
}

describe('policies that take long to compile', () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service?.stop());

  /** Also how many requests were answered, one after the other, before it was. */
  async function countTurns(pending: Promise<ServiceResponse>): Promise<[ServiceResponse, number]> {
    const progress = { isOver: false, turns: 0 };
    const settled = pending.finally(() => {
      progress.isOver = true;
    });
    while (!progress.isOver) {
      const { status } = await service.request('GET', '/livez');
      expect(status).toBe(200);
      progress.turns++;
    }
    return [await settled, progress.turns];
  }

  it('hold up nobody when they are refused', async () => {
    const body = makePolicy(
      'faulty',
      Array.from({ length: 10 }, () => faulty),
    );
    const [{ status, json }, turns] = await countTurns(service.request('POST', policies, { body }));
    expect(status).toBe(422);
    expect(json.details.causes[0].field).toBe('spec.validations[0].expression');
    expect(turns).toBeGreaterThan(fewestTurns);
  });

  it('hold up nobody when they are created, changed and come into force', async () => {
    const body = makePolicy(
      'sound',
      Array.from({ length: 5 }, () => sound),
    );
    const [created, turns] = await countTurns(service.request('POST', policies, { body }));
    expect(created.status).toBe(201);
    expect(turns).toBeGreaterThan(fewestTurns);

    const patch = { metadata: { labels: { a: 'b' } } };
    const headers = { 'content-type': 'application/merge-patch+json' };
    const path = `${policies}/sound`;
    const [patched, turnsOfPatch] = await countTurns(service.request('PATCH', path, { body: patch, headers }));
    expect(patched.status).toBe(200);
    expect(turnsOfPatch).toBeGreaterThan(fewestTurns);

    const binding = {
      apiVersion: 'admissionregistration.bailiwick.dev/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: 'sound' },
      spec: { policyName: 'sound', validationActions: ['Deny'] },
    };
    const bound = await service.request('POST', `${group}/validatingadmissionpolicybindings`, { body: binding });
    expect(bound.status).toBe(201);
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' }, data: { x: 'b' } };
    const maps = '/api/v1/namespaces/default/configmaps?dryRun=All';
    const [refused, turnsOfCompiling] = await countTurns(service.request('POST', maps, { body: map }));
    expect([refused.status, refused.json.reason]).toEqual([422, 'Invalid']);
    expect(turnsOfCompiling).toBeGreaterThan(fewestTurns);
  });
});
