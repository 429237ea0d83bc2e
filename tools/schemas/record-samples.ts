import { readFile } from 'node:fs/promises';

import type { Cluster } from '../../test/cluster/start-cluster.ts';

/** An object that somebody might create; `path` is that of its collection. */
interface Sample {
  readonly name: string;
  readonly path: string;
  readonly body: { readonly metadata: { readonly name: string } };
}

/** What the API server made of a sample: the object it stored, or the Status it answered. */
interface SampleAnswer {
  readonly name: string;
  readonly code: number;
  readonly body: unknown;
}

/** Admission that would add what no kind adds by itself. */
export const sampleAdmissionFlag = `--disable-admission-plugins=${[
  ...['ServiceAccount', 'DefaultTolerationSeconds', 'Priority', 'LimitRanger', 'DefaultStorageClass', 'RuntimeClass'],
  ...['ResourceQuota', 'TaintNodesByCondition', 'StorageObjectInUseProtection', 'PodTopologyLabels', 'PodSecurity'],
].join(',')}`;

const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

interface AnswerBody {
  readonly metadata?: Record<string, unknown>;
  message?: string;
  readonly details?: { readonly causes?: { readonly field: string; readonly message: string }[] };
}

/** The answer without what differs from run to run. */
function scrub(body: unknown): unknown {
  const text = JSON.stringify(body)
    .replaceAll(uid, 'UID')
    .replaceAll(/"(last[A-Za-z]*TransitionTime)":"[^"]*"/g, '"$1":"TIME"');
  const copy = JSON.parse(text) as AnswerBody;
  for (const key of ['resourceVersion', 'creationTimestamp', 'managedFields']) delete copy.metadata?.[key];
  const causes = copy.details?.causes ?? [];
  if (causes.length > 1) {
    // Where Go walks a map, the order of its faults changes, and the message with it.
    causes.sort((a, b) => (`${a.field} ${a.message}` < `${b.field} ${b.message}` ? -1 : 1));
    delete copy.message;
  }
  return copy;
}

/** Creates every sample of the file, one after the other, and deletes it again. */
export async function recordSamples(cluster: Cluster, file: URL): Promise<SampleAnswer[]> {
  const samples = JSON.parse(await readFile(file, 'utf8')) as Sample[];
  await cluster.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'samples' } } });
  const answers: SampleAnswer[] = [];
  for (const { name, path, body } of samples) {
    const answer = await cluster.request('POST', path, { body });
    answers.push({ name, code: answer.status, body: scrub(answer.body) });
    if (answer.status !== 201) continue;
    const options = { body: { gracePeriodSeconds: 0, propagationPolicy: 'Background' } };
    await cluster.request('DELETE', `${path}/${body.metadata.name}`, options);
    if (path === '/api/v1/namespaces') {
      const empty = { metadata: { name: body.metadata.name }, spec: { finalizers: [] } };
      await cluster.request('PUT', `${path}/${body.metadata.name}/finalize`, { body: empty });
    }
  }
  return answers;
}
