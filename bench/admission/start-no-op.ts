import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { makeCertificate } from '../../platform/certificates/make-certificate.ts';
import { buildGoProgram } from '../../test/cluster/build-control-plane.ts';
import type { Cluster } from '../../test/cluster/start-cluster.ts';
import { requestOk } from './subjects.ts';

const hourMillis = 3_600_000;
/** What limits make of the benchmark's pod. */
const patch = [
  {
    op: 'add',
    path: '/metadata/annotations',
    value: {
      'kubernetes.io/limit-ranger':
        'LimitRanger plugin set: cpu, memory request for container web; cpu, memory limit for container web',
    },
  },
  { op: 'add', path: '/spec/containers/0/resources/limits', value: { cpu: '500m', memory: '256Mi' } },
  { op: 'add', path: '/spec/containers/0/resources/requests', value: { cpu: '100m', memory: '128Mi' } },
];

/** A webhook in Go that says yes to everything: once when pods are to be changed, once when they are to be checked. */
export interface NoOpWebhook {
  readonly pid: number;
  stop(): Promise<void>;
}

/**
 * Starts it, with its files in `folder`, and registers it at the cluster for creations of pods: in `namespace`, and in `patchedNamespace`,
 * where it makes the same patch as limits of every pod.
 */
export async function startNoOp(
  cluster: Cluster,
  folder: string,
  namespace: string,
  patchedNamespace: string,
): Promise<NoOpWebhook> {
  const program = await buildGoProgram('no-op-webhook', new URL('no-op-webhook.go', import.meta.url));
  const period = { notBeforeMillis: Date.now() - hourMillis, notAfterMillis: Date.now() + 24 * hourMillis };
  const authority = await makeCertificate({ commonName: 'no-op authority', purpose: 'authority', ...period });
  const serving = await makeCertificate(
    { commonName: 'no-op', purpose: 'server', subjectNames: ['127.0.0.1'], ...period },
    authority,
  );
  const [certificateFile, keyFile] = [join(folder, 'no-op.crt'), join(folder, 'no-op.key')];
  await writeFile(certificateFile, serving.certificate);
  await writeFile(keyFile, serving.privateKey, { mode: 0o600 });
  const child = spawn(program, [certificateFile, keyFile, JSON.stringify(patch)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const url = line.replace(/^ready /, '');
  const caBundle = Buffer.from(authority.certificate).toString('base64');
  for (const [governed, patching] of [
    [namespace, 'mutating'],
    [patchedNamespace, 'patching'],
  ] as const) {
    for (const [type, path] of [
      ['mutating', patching],
      ['validating', 'validating'],
    ] as const) {
      const webhook = {
        name: `${path}.${governed}.test`,
        clientConfig: { url: `${url}/${path}`, caBundle },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': governed } },
        ...{ failurePolicy: 'Fail', sideEffects: 'None', admissionReviewVersions: ['v1'], timeoutSeconds: 10 },
      };
      const configurations = `/apis/admissionregistration.k8s.io/v1/${type}webhookconfigurations`;
      await requestOk(cluster, 'POST', configurations, { metadata: { name: governed }, webhooks: [webhook] });
    }
  }
  return {
    pid: child.pid ?? 0,
    async stop() {
      child.kill();
      await exited;
    },
  };
}
