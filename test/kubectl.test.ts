import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { bindKubectl, findKubectlSkipReason } from './service/run-kubectl.ts';
import type { Kubectl } from './service/run-kubectl.ts';
import { startService } from './service/start-service.ts';
import type { Service } from './service/start-service.ts';

const skipReason = findKubectlSkipReason();

function describeDeployment(image: string, sidecar: string, extra = ''): string {
  return `
apiVersion: apps/v1
kind: Deployment
metadata: { name: shop, namespace: kubectl${extra} }
spec:
  replicas: 2
  selector: { matchLabels: { app: shop } }
  template:
    metadata: { labels: { app: shop } }
    spec:
      containers:
        - name: web
          image: ${image}
          ports: [{ containerPort: 8080 }]
        - name: sidecar
          image: ${sidecar}
`;
}

/** Kinds of the examples that no controller writes: what is applied again the same must not even get a new version. */
const leftAlone = new Set([
  ...['Deployment', 'Ingress', 'LimitRange', 'NetworkPolicy', 'PersistentVolumeClaim', 'PriorityClass', 'Service'],
  'ValidatingAdmissionPolicyBinding',
]);

describe.skipIf(skipReason)(`kubectl against the running service${skipReason ? ` (${skipReason})` : ''}`, () => {
  let service: Service;
  let folder: string;
  let kubectl: Kubectl;

  async function expectSuccess(words: readonly string[], input?: string): Promise<string> {
    const result = await kubectl.run(words, input);
    expect(result, words.join(' ')).toMatchObject({ code: 0 });
    return result.stdout;
  }

  /** The examples as they are stored, but for what controllers write meanwhile. */
  async function readExamples(): Promise<unknown[]> {
    const { items } = JSON.parse(
      await expectSuccess(['get', '-f', 'examples/', '--show-managed-fields', '-o', 'json']),
    ) as {
      items: {
        kind: string;
        status?: object;
        metadata: { resourceVersion: string; managedFields: { subresource?: string }[] };
      }[];
    };
    return items.map(({ status: _status, metadata, ...rest }) => ({
      ...rest,
      metadata: {
        ...metadata,
        resourceVersion: leftAlone.has(rest.kind) ? metadata.resourceVersion : '',
        managedFields: metadata.managedFields.filter(({ subresource }) => subresource === undefined),
      },
    }));
  }

  beforeAll(async () => {
    service = await startService();
    folder = await mkdtemp(join(tmpdir(), 'bailiwick-kubectl-'));
    kubectl = bindKubectl(service.kubeconfig, join(folder, 'cache'));
    await expectSuccess(['create', 'namespace', 'kubectl']);
  });
  afterAll(async () => {
    await service?.stop();
    if (folder) {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('applies the examples, and finds nothing to change the second time', async () => {
    const first = await expectSuccess(['apply', '-f', 'examples/']);
    expect(first).toContain('resourcequota.core.bailiwick.dev/compute created');
    expect(first.split('\n').filter((line) => line.endsWith(' created')).length).toBeGreaterThanOrEqual(16);
    const before = await readExamples();
    const second = await expectSuccess(['apply', '-f', 'examples/']);
    for (const line of second.trim().split('\n')) {
      // kubectl sends some fields of these again and says "configured", against any API server; what is stored stays as it was.
      expect(line).toMatch(
        / unchanged$|^(networkpolicy|poddisruptionbudget|validatingadmissionpolicy)\..* configured$/,
      );
    }
    expect(await readExamples()).toEqual(before);
  });

  it('limits what the examples say: defaults arrive, and the quota refuses', async () => {
    const pod = JSON.parse(await expectSuccess(['get', 'pod', 'web-0', '-n', 'team-a', '-o', 'json']));
    expect(pod.spec.containers[0].resources).toEqual({
      limits: { cpu: '500m', memory: '256Mi' },
      requests: { cpu: '100m', memory: '128Mi' },
    });
    const refused = await kubectl.run(
      ['apply', '-f', '-'],
      'apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: big, namespace: team-a}\nspec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 60Gi}}}\n',
    );
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('maximum storage usage per PersistentVolumeClaim is 50Gi, but request is 60Gi');
  });

  it('merges a changed second apply of a Deployment with two containers', async () => {
    await expectSuccess(['apply', '-f', '-'], describeDeployment('web:1', 'sidecar:1'));
    await expectSuccess(['set', 'env', 'deployment/shop', '-n', 'kubectl', '-c', 'sidecar', 'KEPT=yes']);
    const diff = await kubectl.run(['diff', '-f', '-'], describeDeployment('web:2', 'sidecar:1'));
    expect(diff.code).toBe(1);
    expect(diff.stdout).toMatch(
      /-\s+- image: web:1[\s\S]*\+\s+- image: web:2|-\s+image: web:1[\s\S]*\+\s+image: web:2/,
    );
    expect(await expectSuccess(['apply', '-f', '-'], describeDeployment('web:2', 'sidecar:1'))).toContain('configured');
    const live = JSON.parse(await expectSuccess(['get', 'deployment', 'shop', '-n', 'kubectl', '-o', 'json']));
    const containers = live.spec.template.spec.containers as { name: string; image: string; env?: unknown }[];
    expect(containers.map(({ name, image }) => [name, image])).toEqual([
      ['web', 'web:2'],
      ['sidecar', 'sidecar:1'],
    ]);
    expect(containers[1]?.env).toEqual([{ name: 'KEPT', value: 'yes' }]);
    expect(live.metadata.generation).toBe(3);
    expect(await expectSuccess(['apply', '-f', '-'], describeDeployment('web:2', 'sidecar:1'))).toContain('unchanged');
    expect((await kubectl.run(['diff', '-f', '-'], describeDeployment('web:2', 'sidecar:1'))).code).toBe(0);
  });

  it('scales, patches and edits', async () => {
    await expectSuccess(['scale', 'deployment/shop', '-n', 'kubectl', '--replicas=4']);
    await expectSuccess([
      'patch',
      'deployment',
      'shop',
      '-n',
      'kubectl',
      '-p',
      '{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"web:3"}]}}}}',
    ]);
    const editor = join(folder, 'editor.sh');
    await writeFile(editor, '#!/bin/sh\nsed -i "s/web:3/web:4/" "$1"\n', { mode: 0o755 });
    process.env['KUBE_EDITOR'] = editor;
    await expectSuccess(['edit', 'deployment', 'shop', '-n', 'kubectl']);
    const live = JSON.parse(await expectSuccess(['get', 'deployment', 'shop', '-n', 'kubectl', '-o', 'json']));
    expect(live.spec.replicas).toBe(4);
    expect(live.spec.template.spec.containers[0].image).toBe('web:4');
    expect(live.spec.template.spec.containers).toHaveLength(2);
  });

  it.for([
    ['resourcequotas', /^NAME +REQUEST +LIMIT +AGE\n/],
    ['limitranges', /^NAME +CREATED AT\n/],
    ['networkpolicies', /^NAME +POD-SELECTOR +AGE\n/],
    ['ingresses', /^NAME +CLASS +HOSTS +ADDRESS +PORTS +AGE\n/],
    ['poddisruptionbudgets', /^NAME +MIN AVAILABLE +MAX UNAVAILABLE +ALLOWED DISRUPTIONS +AGE\n/],
    ['flowschemas', /^NAME +PRIORITYLEVEL +MATCHINGPRECEDENCE +DISTINGUISHERMETHOD +AGE +MISSINGPL\n/],
    ['prioritylevelconfigurations', /^NAME +TYPE +NOMINALCONCURRENCYSHARES +QUEUES +HANDSIZE +QUEUELENGTHLIMIT +AGE\n/],
    ['validatingadmissionpolicies', /^NAME +VALIDATIONS +PARAMKIND +AGE\n/],
    ['validatingadmissionpolicybindings', /^NAME +POLICYNAME +PARAMREF +AGE\n/],
    ['pods', /^NAME +READY +STATUS +RESTARTS +AGE\n/],
    ['deployments', /^NAME +READY +UP-TO-DATE +AVAILABLE +AGE\n/],
    ['services', /^NAME +TYPE +CLUSTER-IP +EXTERNAL-IP +PORT\(S\) +AGE\n/],
  ] as const)('prints %s in columns', async ([resource, header]) => {
    expect(await expectSuccess(['get', resource, '-n', 'team-a'])).toMatch(header);
  });

  it('describes a quota with what is used', async () => {
    const text = await expectSuccess(['describe', 'quota', 'compute', '-n', 'team-a']);
    expect(text).toMatch(/pods +1 +10/);
    expect(await expectSuccess(['describe', 'namespace', 'team-a'])).toContain('Resource Quotas');
    expect(await expectSuccess(['describe', 'networkpolicy', 'web', '-n', 'team-a'])).toMatch(
      /Cidr: +192\.0\.2\.0\/24/,
    );
  });

  it('explains fields', async () => {
    const text = await expectSuccess(['explain', 'resourcequota.spec.scopeSelector.matchExpressions']);
    expect(text).toMatch(/scopeName\s+<string> -required-/);
    expect(await expectSuccess(['explain', 'networkpolicy.spec.ingress.from'])).toContain('ipBlock');
  });

  it('waits for a deletion, and for a condition', async () => {
    await expectSuccess(['create', 'configmap', 'gone', '-n', 'kubectl', '--from-literal=a=b']);
    const waiting = kubectl.run(['wait', '--for=delete', 'configmap/gone', '-n', 'kubectl', '--timeout=240s']);
    await expectSuccess(['delete', 'configmap', 'gone', '-n', 'kubectl']);
    expect((await waiting).code).toBe(0);
    await expectSuccess(['wait', '--for=jsonpath={.status.phase}=Active', 'namespace/kubectl', '--timeout=240s']);
  });

  it('applies on the server, and names the owner in a conflict', async () => {
    const map = (value: string): string =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: owned, namespace: kubectl}\ndata: {key: ${value}}\n`;
    await expectSuccess(['apply', '--server-side', '--field-manager=alice', '-f', '-'], map('a'));
    const refused = await kubectl.run(['apply', '--server-side', '--field-manager=bob', '-f', '-'], map('b'));
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('Apply failed with 1 conflict: conflict with "alice": .data.key');
    await expectSuccess(['apply', '--server-side', '--field-manager=bob', '--force-conflicts', '-f', '-'], map('b'));
  });

  it('watches with get -w', async () => {
    const child = kubectl.start([
      'get',
      'configmaps',
      '-n',
      'kubectl',
      '-w',
      '--no-headers',
      '--field-selector=metadata.name=seen',
    ]);
    try {
      const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
      await expectSuccess(['create', 'configmap', 'seen', '-n', 'kubectl']);
      expect((await lines.next()).value).toMatch(/^seen +0 /);
      await expectSuccess(['patch', 'configmap', 'seen', '-n', 'kubectl', '-p', '{"data":{"a":"b"}}']);
      expect((await lines.next()).value).toMatch(/^seen +1 /);
    } finally {
      child.kill();
    }
  });

  it('knows who it is and what it may do', async () => {
    expect(await expectSuccess(['auth', 'whoami'])).toContain('system:masters');
    expect(await expectSuccess(['auth', 'can-i', 'create', 'pods', '-n', 'team-a'])).toBe('yes\n');
    const denied = await kubectl.run(['auth', 'can-i', 'create', 'pods', '--as', 'nobody']);
    expect(denied.stdout).toBe('no\n');
  });

  it('deletes what it applied, namespaces with their content', async () => {
    await expectSuccess(['delete', '-f', 'examples/', '--wait=true', '--timeout=240s', '--ignore-not-found']);
    expect((await kubectl.run(['get', 'namespace', 'team-a'])).stderr).toContain('NotFound');
    expect(await expectSuccess(['api-resources'])).toMatch(/resourcequotas +quota +v1 +true +ResourceQuota/);
  });
});
