import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { makeCertificate } from '../../platform/certificates/make-certificate.ts';
import { buildGoProgram } from '../../test/cluster/build-control-plane.ts';
import type { Cluster } from '../../test/cluster/start-cluster.ts';

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

/** A webhook in Go that says yes to everything, and is called for pods of one namespace: once to change them, once to check them. */
export interface NoOpWebhook {
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts it, with its files in `folder`, and registers it at the cluster for creations of pods in `namespace`. */
export async function startNoOp(cluster: Cluster, folder: string, namespace: string): Promise<NoOpWebhook> {
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
  const child = spawn(program, [certificateFile, keyFile, JSON.stringify(patch)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const url = line.replace(/^ready /, '');
  const caBundle = Buffer.from(authority.certificate).toString('base64');
  for (const type of ['Mutating', 'Validating']) {
    const webhook = {
      name: `${type.toLowerCase()}.no-op.test`,
      clientConfig: { url: `${url}/${type.toLowerCase()}`, caBundle },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
      ...{ failurePolicy: 'Fail', sideEffects: 'None', admissionReviewVersions: ['v1'], timeoutSeconds: 10 },
    };
    const answer = await cluster.request(
      'POST',
      `/apis/admissionregistration.k8s.io/v1/${type.toLowerCase()}webhookconfigurations`,
      { body: { metadata: { name: 'no-op' }, webhooks: [webhook] } },
    );
    if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  }
  return {
    pid: child.pid ?? 0,
    async stop() {
      child.kill();
      await exited;
    },
  };
}
