import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { describeCluster } from './cluster/describe-cluster.ts';
import { runProgram } from './cluster/run-program.ts';
import { awaitObjects as awaitObjectsOf, type AnyObject } from './controllers/await-objects.ts';
import { endPods, runPods } from './controllers/run-pods.ts';
import { startControllerManager, type ControllerManager } from './controllers/start-controller-manager.ts';
import { startService, type Service } from './service/start-service.ts';

const labels = { app: 'web' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } };
const merge = { 'content-type': 'application/merge-patch+json' };

let service: Service;
let controllers: ControllerManager;
let namespace = '';
let namespaces = 0;

async function send(
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
): Promise<AnyObject> {
  const answer = await service.request(method, path, {
    ...(body === undefined ? {} : { body }),
    ...(headers === undefined ? {} : { headers }),
  });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
  return answer.json as AnyObject;
}

/** `api/v1` or `apis/GROUP/VERSION`, within the test's namespace. */
function within(groupVersion: string, rest: string): string {
  return `/${groupVersion}/namespaces/${namespace}/${rest}`;
}

const pods = (): string => within('api/v1', 'pods');
const deployments = (): string => within('apis/apps/v1', 'deployments');
const replicaSets = (): string => within('apis/apps/v1', 'replicasets');

async function enterNamespace(): Promise<void> {
  namespaces += 1;
  namespace = `work-${namespaces}`;
  await send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
}

async function createDeployment(replicas = 3, podSpec: AnyObject = template.spec): Promise<void> {
  const spec = { replicas, selector: { matchLabels: labels }, template: { ...template, spec: podSpec } };
  await send('POST', deployments(), { metadata: { name: 'web' }, spec });
}

function isOwnedBy(kind: string): (object: AnyObject) => boolean {
  return ({ metadata }) => metadata.ownerReferences?.some((owner: AnyObject) => owner['kind'] === kind) === true;
}

function awaitObjects(path: string, check: (items: AnyObject[]) => boolean): Promise<AnyObject[]> {
  return awaitObjectsOf(service, path, check, () => controllers.checkAlive());
}

function awaitPods(count: number): Promise<AnyObject[]> {
  return awaitObjects(pods(), (items) => items.length === count);
}

function awaitNone(path: string): Promise<AnyObject[]> {
  return awaitObjects(path, (items) => items.length === 0);
}

async function start(own: string): Promise<void> {
  service = await startService({ domain: 'k8s.io', flags: [`--controllers=${own}`] });
  controllers = await startControllerManager(service);
}

async function stop(): Promise<void> {
  await controllers?.stop();
  await service?.stop();
}

describeCluster("Kubernetes' own controllers as clients of the API service", () => {
  describe.for([
    ['in place of ours', '-namespace-controller'],
    ['beside ours', '*'],
  ] as const)('%s', ([, own]) => {
    beforeAll(() => start(own));
    afterAll(stop);

    it('make three pods of a deployment of three, and more and fewer when it is scaled', async () => {
      await enterNamespace();
      await createDeployment();
      expect((await awaitPods(3)).every(isOwnedBy('ReplicaSet'))).toBe(true);
      const sets = await send('GET', replicaSets());
      expect(sets['items']).toHaveLength(1);
      expect(sets['items'].every(isOwnedBy('Deployment'))).toBe(true);
      await send('PATCH', `${deployments()}/web/scale`, { spec: { replicas: 5 } }, merge);
      await awaitPods(5);
      await send('PATCH', `${deployments()}/web/scale`, { spec: { replicas: 1 } }, merge);
      await awaitPods(1);
      await send('DELETE', `${deployments()}/web`);
      await Promise.all([awaitNone(deployments()), awaitNone(replicaSets()), awaitNone(pods())]);
    });

    it('delete in the foreground from the pods up', async () => {
      await enterNamespace();
      await createDeployment();
      const [pod] = await awaitPods(3);
      const path = `${pods()}/${pod?.['metadata'].name as string}`;
      await send('PATCH', path, { metadata: { finalizers: ['acme.example/hold'] } }, merge);
      await send('DELETE', `${deployments()}/web`, { propagationPolicy: 'Foreground' });
      await awaitPods(1);
      const held = await send('GET', `${deployments()}/web`);
      expect(held['metadata']).toMatchObject({ finalizers: ['foregroundDeletion'] });
      await send('PATCH', path, { metadata: { finalizers: null } }, merge);
      await Promise.all([awaitNone(deployments()), awaitNone(replicaSets()), awaitNone(pods())]);
    });

    it('leave orphans, which a new deployment adopts', async () => {
      await enterNamespace();
      await createDeployment();
      const before = (await awaitPods(3)).map(({ metadata }) => metadata.uid as string);
      await send('DELETE', `${deployments()}/web`, { propagationPolicy: 'Orphan' });
      await awaitNone(deployments());
      expect((await send('GET', replicaSets()))['items'].some(isOwnedBy('Deployment'))).toBe(false);
      await createDeployment();
      await awaitObjects(replicaSets(), (items) => items.every(isOwnedBy('Deployment')));
      await awaitObjects(deployments(), ([web]) => web?.['status']?.replicas === 3);
      const after = (await awaitPods(3)).map(({ metadata }) => metadata.uid as string);
      expect(after.toSorted()).toEqual(before.toSorted());
    });

    it('empty a namespace that is deleted', async () => {
      await enterNamespace();
      await createDeployment();
      await awaitPods(3);
      await send('DELETE', `/api/v1/namespaces/${namespace}`);
      await awaitObjects('/api/v1/namespaces', (items) => items.every(({ metadata }) => metadata.name !== namespace));
    });

    it('keep what a quota counts at its limit', async () => {
      await enterNamespace();
      const quotas = within('api/v1', 'resourcequotas');
      await send('POST', quotas, { metadata: { name: 'q' }, spec: { hard: { pods: '2' } } });
      await awaitObjects(quotas, ([quota]) => quota?.['status']?.hard?.pods === '2');
      await createDeployment();
      await awaitObjects(quotas, ([quota]) => quota?.['status'].used.pods === '2');
      await awaitObjects(within('api/v1', 'events'), (events) =>
        events.some(
          ({ reason, message }) => reason === 'FailedCreate' && String(message).includes('exceeded quota: q'),
        ),
      );
      await send('DELETE', `${deployments()}/web`);
      await awaitObjects(quotas, ([quota]) => quota?.['status'].used.pods === '0');
    });
  });

  describe('with a kubelet', () => {
    beforeAll(() => start('-namespace-controller'));
    afterAll(stop);

    it('roll a deployment over to a new template', async () => {
      await enterNamespace();
      await createDeployment();
      await runPods(service, await awaitPods(3));
      await awaitObjects(deployments(), ([web]) => web?.['status'].availableReplicas === 3);
      const containers = [{ name: 'web', image: 'web:2' }];
      await send('PATCH', `${deployments()}/web`, { spec: { template: { spec: { containers } } } }, merge);
      const isNew = (pod: AnyObject): boolean => pod['spec'].containers[0].image === 'web:2';
      for (let done = false; !done;) {
        const items = await awaitObjects(
          pods(),
          (found) =>
            found.some(({ status }) => status.phase !== 'Running') || (found.length === 3 && found.every(isNew)),
        );
        await runPods(service, items);
        done = items.length === 3 && items.every(isNew);
      }
      await awaitObjects(deployments(), ([web]) => {
        const { updatedReplicas, availableReplicas, replicas } = web?.['status'] ?? {};
        return updatedReplicas === 3 && availableReplicas === 3 && replicas === 3;
      });
      await send('DELETE', `${deployments()}/web`);
      await awaitNone(pods());
    });

    it('run a job to its end, and leave its pods unless it says otherwise', async () => {
      await enterNamespace();
      const jobs = within('apis/batch/v1', 'jobs');
      const spec = { completions: 2, parallelism: 2, template: { spec: { ...template.spec, restartPolicy: 'Never' } } };
      await send('POST', jobs, { metadata: { name: 'j' }, spec });
      await endPods(service, await awaitPods(2));
      await awaitObjects(jobs, ([job]) =>
        Boolean(job?.['status'].conditions?.some((condition: AnyObject) => condition['type'] === 'Complete')),
      );
      const answer = await service.request('DELETE', `${jobs}/j`);
      expect(answer.headers['warning']).toContain('child pods are preserved by default when jobs are deleted');
      await awaitNone(jobs);
      expect((await awaitPods(2)).some(isOwnedBy('Job'))).toBe(false);
      await send('POST', jobs, { metadata: { name: 'k' }, spec });
      await awaitPods(4);
      await send('DELETE', `${jobs}/k?propagationPolicy=Background`);
      await awaitPods(2);
    });

    it('start the pods of a stateful set one after the other, with a claim each', async () => {
      await enterNamespace();
      const claim = {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      };
      const spec = {
        serviceName: 'db',
        replicas: 2,
        selector: { matchLabels: labels },
        template,
        volumeClaimTemplates: [claim],
      };
      await send('POST', within('apis/apps/v1', 'statefulsets'), { metadata: { name: 'db' }, spec });
      await runPods(service, await awaitPods(1));
      expect((await awaitPods(2)).map(({ metadata }) => metadata.name as string)).toEqual(['db-0', 'db-1']);
      const claims = await send('GET', within('api/v1', 'persistentvolumeclaims'));
      expect(claims['items'].map(({ metadata }: AnyObject) => metadata.name)).toEqual(['data-db-0', 'data-db-1']);
    });

    it('make a pod of a daemon set for a node', async () => {
      await enterNamespace();
      await send('POST', '/api/v1/nodes', { metadata: { name: 'node-a' } });
      const spec = { selector: { matchLabels: labels }, template };
      await send('POST', within('apis/apps/v1', 'daemonsets'), { metadata: { name: 'agent' }, spec });
      const [pod] = await awaitPods(1);
      expect(JSON.stringify(pod?.['spec'].affinity)).toContain('"node-a"');
      await send('DELETE', '/api/v1/nodes/node-a');
    });

    it('list the addresses of a service', async () => {
      await enterNamespace();
      await send('POST', within('api/v1', 'services'), {
        metadata: { name: 'web' },
        spec: { clusterIP: '10.96.0.10', selector: labels, ports: [{ port: 80 }] },
      });
      // Where a pod is on no node, nobody lists its address.
      await send('POST', '/api/v1/nodes', { metadata: { name: 'node-b' } });
      await createDeployment(2, { ...template.spec, nodeName: 'node-b' });
      await runPods(service, await awaitPods(2));
      const slices = await awaitObjects(
        within('apis/discovery.k8s.io/v1', 'endpointslices'),
        (items) =>
          items
            .flatMap(({ endpoints }) => (endpoints as AnyObject[] | null) ?? [])
            .filter(({ conditions }) => conditions.ready).length === 2,
      );
      expect(slices[0]?.['metadata'].labels['kubernetes.io/service-name']).toBe('web');
    });

    it('tell how many disruptions a budget allows', async () => {
      await enterNamespace();
      const budgets = within('apis/policy/v1', 'poddisruptionbudgets');
      await send('POST', budgets, {
        metadata: { name: 'web' },
        spec: { minAvailable: 1, selector: { matchLabels: labels } },
      });
      await createDeployment();
      await runPods(service, await awaitPods(3));
      await awaitObjects(budgets, ([budget]) => budget?.['status'].disruptionsAllowed === 2);
    });

    it('look at what an autoscaler scales', async () => {
      await enterNamespace();
      await createDeployment();
      const autoscalers = within('apis/autoscaling/v2', 'horizontalpodautoscalers');
      const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
      await send('POST', autoscalers, { metadata: { name: 'web' }, spec: { scaleTargetRef, maxReplicas: 2 } });
      await awaitPods(2);
      await awaitObjects(autoscalers, ([web]) =>
        Boolean(web?.['status'].conditions?.some((condition: AnyObject) => condition['type'] === 'AbleToScale')),
      );
    });

    it('guard a range of services that has addresses', async () => {
      const ranges = '/apis/networking.k8s.io/v1/servicecidrs';
      await send('POST', ranges, { metadata: { name: 'more' }, spec: { cidrs: ['10.77.0.0/24'] } });
      await awaitObjects(ranges, ([range]) => range?.['metadata'].finalizers?.length === 1);
      await send('DELETE', `${ranges}/more`);
      await awaitNone(ranges);
    });

    it('sign a certificate that was approved', async () => {
      const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
      const words = ['req', '-new', '-newkey', 'rsa:2048', '-nodes', '-keyout', '/dev/null', '-subj', '/CN=ann'];
      const request = await runProgram('openssl', words);
      const spec = {
        request: Buffer.from(request).toString('base64'),
        signerName: 'kubernetes.io/kube-apiserver-client',
        usages: ['client auth'],
      };
      const created = await send('POST', requests, { metadata: { name: 'ann' }, spec });
      const condition = { type: 'Approved', status: 'True', reason: 'Test', message: '' };
      await send('PUT', `${requests}/ann/approval`, { ...created, status: { conditions: [condition] } });
      await awaitObjects(requests, ([request]) => request?.['status'].certificate !== undefined);
    });
  });
});
