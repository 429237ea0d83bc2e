import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { bindKubectl, findKubectlSkipReason } from './service/run-kubectl.ts';
import type { Kubectl } from './service/run-kubectl.ts';
import { startService } from './service/start-service.ts';
import type { Service } from './service/start-service.ts';

const skipReason = findKubectlSkipReason();

/** Commands whose bodies kubectl writes in protobuf, what they print, and where the object then is with what in it. */
const creations: readonly (readonly [
  words: string,
  printed: string,
  seen?: readonly [object: string, path: string, value: string],
])[] = [
  [
    'create configmap settings --from-literal=a=b',
    'configmap/settings created',
    ['configmap/settings', '.data.a', 'b'],
  ],
  ['create secret generic token --from-literal=a=b', 'secret/token created', ['secret/token', '.data.a', 'Yg==']],
  [
    'create secret docker-registry pull --docker-server=s --docker-username=u --docker-password=p',
    'secret/pull created',
    ['secret/pull', '.type', 'kubernetes.io/dockerconfigjson'],
  ],
  ['create serviceaccount robot', 'serviceaccount/robot created'],
  [
    'create quota few --hard=services=20,requests.storage=10Gi',
    'resourcequota/few created',
    ['quota/few', '.spec.hard', '{"requests.storage":"10Gi","services":"20"}'],
  ],
  [
    'create role reader --verb=get,list --resource=pods,pods/log',
    'role.rbac.authorization.k8s.io/reader created',
    ['role/reader', '.rules[0].resources', '["pods","pods/log"]'],
  ],
  [
    'create rolebinding reader --role=reader --serviceaccount=typed:robot',
    'rolebinding.rbac.authorization.k8s.io/reader created',
    ['rolebinding/reader', '.subjects', '[{"kind":"ServiceAccount","name":"robot","namespace":"typed"}]'],
  ],
  [
    'create clusterrole typed-urls --verb=get --non-resource-url=/metrics',
    'clusterrole.rbac.authorization.k8s.io/typed-urls created',
    ['clusterrole/typed-urls', '.rules[0].nonResourceURLs', '["/metrics"]'],
  ],
  [
    'create clusterrolebinding typed-urls --clusterrole=typed-urls --user=jane',
    'clusterrolebinding.rbac.authorization.k8s.io/typed-urls created',
  ],
  [
    'create deployment shop --image=web:1 --replicas=2 --port=80',
    'deployment.apps/shop created',
    ['deployment/shop', '.spec.template.spec.containers[0].ports[0].containerPort', '80'],
  ],
  [
    'create job once --image=busybox -- sh -c true',
    'job.batch/once created',
    ['job/once', '.spec.template.spec.containers[0].command', '["sh","-c","true"]'],
  ],
  [
    'create cronjob nightly --image=busybox --schedule=@daily',
    'cronjob.batch/nightly created',
    ['cronjob/nightly', '.spec.schedule', '@daily'],
  ],
  [
    'create job tonight --from=cronjob/nightly',
    'job.batch/tonight created',
    ['job/tonight', '.metadata.ownerReferences[0].controller', 'true'],
  ],
  [
    'create ingress shop --rule=shop.example.com/cart*=shop:80,tls=shop',
    'ingress.networking.k8s.io/shop created',
    ['ingress/shop', '.spec.rules[0].http.paths[0].pathType', 'Prefix'],
  ],
  [
    'create poddisruptionbudget shop --selector=app=shop --min-available=50%',
    'poddisruptionbudget.policy/shop created',
    ['pdb/shop', '.spec.minAvailable', '50%'],
  ],
  [
    'create poddisruptionbudget few --selector=app=few --max-unavailable=1',
    'poddisruptionbudget.policy/few created',
    ['pdb/few', '.spec.maxUnavailable', '1'],
  ],
  [
    'create priorityclass typed-low --value=-10',
    'priorityclass.scheduling.k8s.io/typed-low created',
    ['priorityclass/typed-low', '.value', '-10'],
  ],
  [
    'create service clusterip shop --tcp=80:8080',
    'service/shop created',
    ['service/shop', '.spec.ports[0].targetPort', '8080'],
  ],
  ['create service externalname far --external-name=far.example.com', 'service/far created'],
];

describe.skipIf(skipReason)(`kubectl's typed clients${skipReason ? ` (${skipReason})` : ''}`, () => {
  let service: Service;
  let folder: string;
  let kubectl: Kubectl;

  async function expectSuccess(words: string, input?: string): Promise<string> {
    const result = await kubectl.run(['-n', 'typed', ...words.split(' ')], input);
    expect(result, words).toMatchObject({ code: 0 });
    return result.stdout;
  }

  beforeAll(async () => {
    service = await startService({ domain: 'k8s.io' });
    folder = await mkdtemp(join(tmpdir(), 'bailiwick-kubectl-typed-'));
    kubectl = bindKubectl(service.kubeconfig, join(folder, 'cache'));
    expect(await expectSuccess('create namespace typed')).toBe('namespace/typed created\n');
  });
  afterAll(async () => {
    await service?.stop();
    if (folder) {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it.for(creations)('%s', async ([words, printed, seen]) => {
    expect(await expectSuccess(words)).toBe(`${printed}\n`);
    if (seen === undefined) return;
    const [object, path, value] = seen;
    expect(await expectSuccess(`get ${object} -o jsonpath={${path}}`)).toBe(value);
  });

  it('refuses a second object of the same name with the words of the API', async () => {
    const refused = await kubectl.run(['create', 'namespace', 'typed']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('Error from server (AlreadyExists): namespaces "typed" already exists');
  });

  it('issues tokens that work', async () => {
    await expectSuccess('create serviceaccount caller');
    const token = (await expectSuccess('create token caller --duration=1h --audience=https://example.com')).trim();
    expect(token.split('.')).toHaveLength(3);
    const own = (await expectSuccess('create token caller')).trim();
    const answer = await service.request('GET', '/api/v1/namespaces/typed/pods', { token: own });
    expect(answer.json.message).toContain('User "system:serviceaccount:typed:caller" cannot list resource "pods"');
  });

  it('tells who may do what', async () => {
    expect(await expectSuccess('auth can-i create pods')).toBe('yes\n');
    const denied = await kubectl.run(['-n', 'typed', 'auth', 'can-i', 'create', 'pods', '--as', 'nobody']);
    expect(denied).toMatchObject({ code: 1, stdout: 'no\n' });
    await expectSuccess('create role deployer --verb=create --resource=deployments.apps');
    await expectSuccess('create rolebinding deployer --role=deployer --user=dora');
    expect(await expectSuccess('auth can-i create deployments --as=dora')).toBe('yes\n');
    expect(await expectSuccess('auth can-i --list --as=dora')).toMatch(/deployments\.apps +\[\] +\[\] +\[create\]/);
    expect(await expectSuccess('auth can-i get /healthz')).toBe('yes\n');
    expect(await expectSuccess('auth whoami')).toMatch(/Groups +\[system:masters system:authenticated\]/);
  });

  it('changes a deployment in every way kubectl knows', async () => {
    await expectSuccess('create deployment changed --image=web:1');
    for (const words of [
      'scale deployment/changed --replicas=3',
      'label deployment/changed tier=front',
      'annotate deployment/changed note=kept',
      'set image deployment/changed web=web:2',
      'set env deployment/changed KEY=value',
      'set resources deployment/changed --limits=cpu=100m',
      'set serviceaccount deployment/changed robot',
      'rollout restart deployment/changed',
      'rollout pause deployment/changed',
      'expose deployment/changed --port=80 --target-port=http --name=changed',
    ]) {
      await expectSuccess(words);
    }
    const live = JSON.parse(await expectSuccess('get deployment changed -o json'));
    expect(live).toMatchObject({
      metadata: { labels: { app: 'changed', tier: 'front' }, annotations: { note: 'kept' } },
      spec: {
        replicas: 3,
        paused: true,
        template: {
          metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': expect.any(String) } },
          spec: {
            serviceAccountName: 'robot',
            containers: [
              { image: 'web:2', env: [{ name: 'KEY', value: 'value' }], resources: { limits: { cpu: '100m' } } },
            ],
          },
        },
      },
    });
    expect(await expectSuccess('get deployment changed --subresource=scale')).toMatch(
      /^NAME +DESIRED +AVAILABLE +AGE\nchanged +3 +0 /,
    );
    expect(await expectSuccess('get service changed -o jsonpath={.spec.ports[0].targetPort}')).toBe('http');
  });

  it('cordons, taints and drains a node', async () => {
    await expectSuccess('apply -f -', 'apiVersion: v1\nkind: Node\nmetadata: {name: worker}\n');
    await expectSuccess(
      'apply -f -',
      'apiVersion: v1\nkind: Pod\nmetadata: {name: guest, namespace: typed}\n' +
        'spec: {nodeName: worker, containers: [{name: c, image: c}]}\n',
    );
    expect(await expectSuccess('cordon worker')).toBe('node/worker cordoned\n');
    expect(await expectSuccess('drain worker --force --dry-run=server')).toContain('drained (server dry run)');
    expect(await expectSuccess('uncordon worker')).toBe('node/worker uncordoned\n');
    expect(await expectSuccess('taint nodes worker dedicated=x:NoSchedule')).toBe('node/worker tainted\n');
    expect(await expectSuccess('drain worker --force --grace-period=0 --timeout=240s')).toContain('drained');
    expect((await kubectl.run(['-n', 'typed', 'get', 'pod', 'guest'])).stderr).toContain('NotFound');
  });

  it('warns of a kind that is deprecated', async () => {
    const warning = 'Warning: v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice';
    expect((await kubectl.run(['get', 'endpoints'])).stderr).toContain(warning);
    const watch = await service.open('GET', '/api/v1/endpoints?watch=true');
    watch.destroy();
    expect(watch.headers['warning']).toContain('v1 Endpoints is deprecated');
  });

  it('deletes by options in protobuf', async () => {
    await expectSuccess('create configmap gone');
    expect(await expectSuccess('delete configmap gone --grace-period=1')).toBe('configmap "gone" deleted\n');
  });

  it('answers 406 to a client that reads nothing but protobuf', async () => {
    const headers = { accept: 'application/vnd.kubernetes.protobuf' };
    const answer = await service.request('GET', '/api/v1/namespaces/typed', { headers });
    expect(answer.status).toBe(406);
  });
});
