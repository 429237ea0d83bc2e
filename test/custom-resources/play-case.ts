import { encodeJson } from '../../core/decode/encode-json.ts';
import type { JsonObject } from '../../core/meta/json.ts';
import {
  caseGroup,
  hasOld,
  makeCaseDefinition,
  makeCaseObject,
  type CustomAnswer,
  type CustomCase,
  type CustomWrite,
} from '../../kinds/apiextensions/custom-resource/testdata/custom-case.ts';
import { waitUntil } from '../cluster/wait-until.ts';

/** An answer as it came from a server. */
export interface SentAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // oxlint-disable-next-line typescript/no-explicit-any -- bodies of any kind
  readonly body: any;
}

/** Sends a request, as the administrator. */
export type Send = (method: string, path: string, body?: string) => Promise<SentAnswer>;

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

function encode(value: unknown): string {
  return encodeJson(value);
}

function collectionOf(one: CustomCase): string {
  return `/apis/${caseGroup}/v1/${makeCaseDefinition(one, true).spec.names.plural}`;
}

async function expectStatus(answer: SentAnswer, status: number): Promise<SentAnswer> {
  if (answer.status !== status) throw new Error(`answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer;
}

/** Creates the definitions of cases, as they were before, and waits until their kinds are served. */
export async function defineCases(send: Send, cases: readonly CustomCase[]): Promise<void> {
  for (const one of cases)
    await expectStatus(await send('POST', definitions, encode(makeCaseDefinition(one, true))), 201);
  for (const one of cases) {
    const collection = collectionOf(one);
    await waitUntil(`${one.name} to be served`, async () => (await send('GET', collection)).status === 200, 30_000);
  }
}

function nameObject(index: number): string {
  return `w${index}`;
}

function completeObject(one: CustomCase, index: number, object: JsonObject, resourceVersion?: string): JsonObject {
  const metadata = (object['metadata'] ?? {}) as JsonObject;
  return {
    apiVersion: `${caseGroup}/v1`,
    kind: makeCaseDefinition(one, false).spec.names.kind,
    ...object,
    metadata: { name: nameObject(index), ...metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
  };
}

async function createOld(send: Send, one: CustomCase, index: number, write: CustomWrite): Promise<void> {
  const collection = collectionOf(one);
  const object = makeCaseObject(write, true);
  const created = await expectStatus(await send('POST', collection, encode(completeObject(one, index, object))), 201);
  if (one.version?.subresources?.status === undefined || object['status'] === undefined) return;
  const body = { ...created.body, status: object['status'] };
  await expectStatus(await send('PUT', `${collection}/${nameObject(index)}/status`, encode(body)), 200);
}

/** Changes the definition of a case to what it is now, and waits until that is in force. */
async function changeDefinition(send: Send, one: CustomCase, probe: string): Promise<void> {
  const { name } = makeCaseDefinition(one, false).metadata;
  const path = `${definitions}/${name}`;
  await waitUntil(`${one.name} to change`, async () => {
    const { body } = await send('GET', path);
    body.spec = makeCaseDefinition(one, false).spec;
    return (await send('PUT', path, encode(body))).status === 200;
  });
  await waitUntil(`${one.name} to be changed`, async () => (await send('GET', probe)).body.schemaMark === 'new');
}

/** Plays the writes of a case whose kind is served, and answers what became of each. */
export async function playCase(send: Send, one: CustomCase): Promise<CustomAnswer[]> {
  const collection = collectionOf(one);
  for (const [index, write] of one.writes.entries()) if (hasOld(write)) await createOld(send, one, index, write);
  if (one.oldSchema !== undefined) {
    const first = one.writes.findIndex(hasOld);
    await changeDefinition(send, one, `${collection}/${nameObject(first)}`);
  }
  const answers: CustomAnswer[] = [];
  for (const [index, write] of one.writes.entries()) {
    const object = makeCaseObject(write, false);
    if (!hasOld(write)) {
      const body = encode(completeObject(one, index, object));
      answers.push(describeAnswer(await send('POST', `${collection}?dryRun=All`, body)));
      continue;
    }
    const path = `${collection}/${nameObject(index)}`;
    const live = await expectStatus(await send('GET', path), 200);
    const body = encode(completeObject(one, index, object, live.body.metadata.resourceVersion));
    const target = write.isStatus === true ? `${path}/status` : path;
    answers.push(describeAnswer(await send('PUT', `${target}?dryRun=All`, body)));
  }
  return answers;
}

/** What is compared of an answer; order that is left to chance is made the same. */
function describeAnswer({ status, headers, body }: SentAnswer): CustomAnswer {
  const warnings = listWarnings(headers['warning']);
  const shownWarnings = warnings.length === 0 ? {} : { warnings };
  if (body.kind !== 'Status') {
    const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = body;
    return { code: status, ...shownWarnings, object: { ...rest, generation: metadata.generation } };
  }
  const causes = body.details?.causes as { reason: string; field: string; message: string }[] | undefined;
  if (causes === undefined) return { code: status, ...shownWarnings, message: body.message };
  const rows = causes.map(({ reason, field, message }): [string, string, string] => [reason, field, message]);
  return { code: status, ...shownWarnings, causes: sortByText(rows) };
}

function sortByText<T>(list: readonly T[]): T[] {
  return list.toSorted((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1));
}

function listWarnings(header: string | string[] | undefined): string[] {
  if (header === undefined) return [];
  const lines = Array.isArray(header) ? header : [header];
  const texts = lines.flatMap((line) => [...line.matchAll(/299 - ("(?:[^"\\]|\\.)*")/g)].map(([, text]) => text ?? ''));
  return texts.map((text) => text.slice(1, -1).replaceAll(/\\(.)/g, '$1')).toSorted();
}

/** Creates the definition of a case and waits until its kind is served; false when the server does not take it. */
export async function isDefined(send: Send, one: CustomCase): Promise<boolean> {
  const answer = await send('POST', definitions, encode(makeCaseDefinition(one, false)));
  if (answer.status === 422) return false;
  await expectStatus(answer, 201);
  const collection = collectionOf(one);
  await waitUntil(`${one.name} to be served`, async () => (await send('GET', collection)).status === 200, 30_000);
  return true;
}

/** Whether the server would create what a write sends. */
export async function takesWrite(send: Send, one: CustomCase, write: CustomWrite): Promise<boolean> {
  const body = encode(completeObject(one, 0, makeCaseObject(write, false)));
  return (await send('POST', `${collectionOf(one)}?dryRun=All`, body)).status === 201;
}
