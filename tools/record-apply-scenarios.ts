import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { request as requestHttps, type RequestOptions } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { excerptSchemas } from './excerpt-schemas.ts';
import {
  formatCollectionPath,
  makeStepRequest,
  type ApplyScenario,
  type ApplyStep,
} from '../test/apply/apply-scenario.ts';
import { applyScenarios } from '../test/apply/apply-scenarios.ts';

/**
 * Records what a real API server makes of sequences of writes: run with `--kubeconfig FILE`. Writes
 * core/apply/testdata/{scenarios,schemas}.json. The namespaces it works in are deleted at the end.
 */

// oxlint-disable-next-line typescript/no-explicit-any -- recorded objects are of any kind
type Json = Record<string, any>;

interface Answer {
  readonly code: number;
  readonly body: Json;
}

interface Server {
  send(method: string, path: string, contentType?: string, body?: unknown): Promise<Answer>;
}

function connect(kubeconfig: Json): Server {
  const cluster = kubeconfig.clusters[0].cluster as Json;
  const user = kubeconfig.users[0].user as Json;
  const decode = (text: string | undefined): Buffer | undefined => (text ? Buffer.from(text, 'base64') : undefined);
  const base: RequestOptions = {
    ca: decode(cluster['certificate-authority-data']),
    cert: decode(user['client-certificate-data']),
    key: decode(user['client-key-data']),
    rejectUnauthorized: cluster['insecure-skip-tls-verify'] !== true,
  };
  const send = (method: string, path: string, contentType = 'application/json', body?: unknown): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const headers: Record<string, string> = { 'content-type': contentType };
      if (user.token) headers.authorization = `Bearer ${user.token}`;
      const call = requestHttps(new URL(path, cluster.server), { ...base, method, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ code: response.statusCode ?? 0, body: JSON.parse(text) as Json });
        });
        response.on('error', reject);
      });
      call.on('error', reject);
      call.end(body === undefined ? undefined : JSON.stringify(body));
    });
  return { send };
}

/** A namespace for each scenario: a quota of one would bind the pods of another. */
async function recordInNamespace(server: Server, scenario: ApplyScenario, index: number): Promise<Json> {
  const namespace = `apply-scenario-${process.pid}-${index}`;
  await server.send('POST', '/api/v1/namespaces', 'application/json', { metadata: { name: namespace } });
  try {
    // Service accounts arrive a moment after the namespace; pods need them.
    await sleep(3000);
    const recorded = await recordScenario(server, scenario, namespace);
    return JSON.parse(JSON.stringify(recorded).replaceAll(namespace, 'ns')) as Json;
  } finally {
    await server.send('DELETE', `/api/v1/namespaces/${namespace}`);
  }
}

async function recordScenario(server: Server, scenario: ApplyScenario, namespace: string): Promise<Json> {
  const collection = formatCollectionPath(scenario, namespace);
  const steps: Json[] = [];
  let stored: Json | undefined;
  for (const step of scenario.steps) {
    const path = `${collection}/${scenario.name}`;
    const found = await server.send('GET', path);
    const live = found.code === 200 ? found.body : undefined;
    const request = makeStepRequest(scenario, step, namespace, live);
    const answer = await server.send(request.method, request.path, request.contentType, request.body);
    const described = describeStep(step, request.body as Json, live, answer);
    // Only what others wrote in between is recorded as the object that the step found.
    if (JSON.stringify(described.live) === JSON.stringify(stored)) delete described.live;
    steps.push(described);
    stored = answer.code < 300 ? described.result : live && stripServerFields(live);
    // managedFields have whole seconds: steps must not share one.
    await sleep(1100);
  }
  await server.send('DELETE', `${collection}/${scenario.name}`);
  return normalizeTimes({
    title: scenario.title,
    apiVersion: scenario.apiVersion,
    kind: scenario.kind,
    definition: scenario.definition,
    ...(scenario.resetFields === undefined ? {} : { resetFields: scenario.resetFields }),
    ...(scenario.admittedFields === undefined ? {} : { admittedFields: scenario.admittedFields }),
    steps,
  });
}

function describeStep(step: ApplyStep, body: Json, live: Json | undefined, answer: Answer): Json {
  const sent = step.verb === 'create' || step.verb === 'update' ? body.metadata?.managedFields : undefined;
  const isUnchangedList = JSON.stringify(sent) === JSON.stringify(live?.metadata?.managedFields);
  return {
    verb: step.verb === 'create' || step.verb === 'apply' ? step.verb : 'update',
    manager: step.manager,
    ...(step.subresource ? { subresource: step.subresource } : {}),
    ...(step.force ? { force: true } : {}),
    live: live && stripServerFields(live),
    ...(step.verb === 'apply' ? { applied: body } : {}),
    ...(sent === undefined || isUnchangedList ? {} : { requestedManagedFields: sent }),
    code: answer.code,
    result: answer.code >= 300 ? answer.body : stripServerFields(answer.body),
  };
}

/** Drops what differs from run to run and belongs to no manager. */
function stripServerFields(object: Json): Json {
  const { uid, resourceVersion, generation, creationTimestamp, ...metadata } = object.metadata as Json;
  void [uid, resourceVersion, generation, creationTimestamp];
  return { ...object, metadata };
}

/** Replaces each moment by one of a fixed day, in the same order. */
function normalizeTimes(recorded: Json): Json {
  const text = JSON.stringify(recorded);
  const pattern = /\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ/g;
  const moments = [...new Set(text.match(pattern) ?? [])].sort();
  const start = Date.UTC(2026, 0, 1);
  const fixed = new Map(
    moments.map((moment, i) => [moment, new Date(start + i * 1000).toISOString().replace('.000', '')]),
  );
  return JSON.parse(text.replace(pattern, (moment) => fixed.get(moment)!)) as Json;
}

const { values } = parseArgs({ options: { kubeconfig: { type: 'string' } } });
if (values.kubeconfig === undefined) throw new Error('--kubeconfig FILE is required');
const server = connect(parse(await readFile(values.kubeconfig, 'utf8')) as Json);
const folder = new URL('../core/apply/testdata/', import.meta.url);
await mkdir(folder, { recursive: true });
const recorded = await Promise.all(applyScenarios.map((scenario, i) => recordInNamespace(server, scenario, i)));
const text = JSON.stringify(recorded).replaceAll('{"title"', '\n{"title"').replaceAll('{"verb"', '\n {"verb"');
await writeFile(new URL('scenarios.json', folder), `${text}\n`);
const roots = new Set(applyScenarios.map((scenario) => scenario.definition));
const documents = new Set(
  applyScenarios.map(({ apiVersion }) => (apiVersion.includes('/') ? `apis/${apiVersion}` : `api/${apiVersion}`)),
);
const definitions: Json = {};
for (const document of documents) {
  const answer = await server.send('GET', `/openapi/v3/${document}`);
  Object.assign(definitions, answer.body.components.schemas);
}
const schemas = JSON.stringify(excerptSchemas(definitions, roots)).replaceAll('"io.k8s.', '\n"io.k8s.');
await writeFile(new URL('schemas.json', folder), `${schemas}\n`);
