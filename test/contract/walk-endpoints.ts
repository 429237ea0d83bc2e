import type { IncomingMessage } from 'node:http';

import { describe, expect, it } from 'vitest';

import type { RequestOptions, ServiceResponse } from '../service/start-service.ts';
import rows from '../spec/rows.json' with { type: 'json' };
import { kindSamples } from '../spec/samples.ts';
import type { KindSample } from '../spec/samples.ts';
import { settleStatus } from '../spec/settle-status.ts';
import { checkContract } from './contract-case.ts';
import type { ContractSubject } from './contract-case.ts';

const namespace = 'walk';
const pathGroupOfGroup: Record<string, string> = {
  '': 'CORE',
  'networking.{domain}': 'NET',
  policy: 'POL',
  'flowcontrol.apiserver.{domain}': 'FLOW',
  'admissionregistration.{domain}': 'ADM',
};

type Operation =
  | 'get'
  | 'get status'
  | 'list'
  | 'list all namespaces'
  | 'create'
  | 'update'
  | 'update status'
  | 'patch'
  | 'patch status'
  | 'delete'
  | 'deletecollection';

interface EndpointRow {
  readonly id: string;
  readonly operation: Operation;
  readonly method: string;
  readonly template: string;
  readonly parameters: readonly string[];
  readonly codes: readonly number[];
  readonly answerKind: string;
  readonly sample: KindSample;
}

/** Success codes of the tables that Kubernetes 1.34 never produces for the operation, with the reason. */
const unproduced: readonly {
  readonly operation: RegExp;
  readonly code: number;
  readonly kinds?: RegExp;
  readonly reason: string;
}[] = [
  { operation: /^create$/, code: 200, reason: 'a create that stores an object answers 201' },
  { operation: /^create$/, code: 202, reason: 'creates of these kinds are never asynchronous' },
  {
    operation: /^update$/,
    code: 201,
    kinds: /^(?!LimitRange$)/,
    reason: 'an update of an absent object is 404 for this kind',
  },
  { operation: /^update status$/, code: 201, reason: 'a status is only written to an object that exists' },
  { operation: /^patch status$/, code: 201, reason: 'a status is only written to an object that exists' },
];

function readRows(): EndpointRow[] {
  const found: EndpointRow[] = [];
  let previousPath = '';
  for (const row of rows) {
    const [chapter, kind] = row.section.split('/');
    const sample = kindSamples[kind ?? ''];
    const cells = (row as { cells?: Record<string, string> }).cells;
    if (chapter !== 'Endpoints' || !sample || !cells) {
      continue;
    }
    const [, method, path] = /^(\w+) `(.*)`$/.exec(cells['Method and path'] ?? '') ?? [];
    let parameters = (cells['Query'] ?? '').split(', ').filter((name) => /^\w+$/.test(name));
    const reference = /^same as (\w+)$/.exec(cells['Query'] ?? '')?.[1];
    if (reference) {
      parameters = [...(found.findLast((other) => other.operation === reference)?.parameters ?? [])];
    }
    previousPath = path ?? previousPath;
    const [codeText = '', answerKind = ''] = /^([\d, ]+) (\w+)$/.exec(cells['Success'] ?? '')?.slice(1) ?? [];
    found.push({
      id: row.id,
      operation: cells['Op'] as Operation,
      method: method ?? '',
      template: path ?? '',
      parameters,
      codes: codeText.split(', ').map(Number),
      answerKind,
      sample,
    });
  }
  return found;
}

/** Walks the endpoint tables of the specification at a subject: every row's codes, its identity rule, and every parameter. */
export function walkEndpoints(subject: ContractSubject): void {
  const { domain } = subject;
  const service = { request: subject.request, open: subject.open };
  let counter = 0;
  const groupPaths: Record<string, string> = {
    CORE: '/api/v1',
    NET: `/apis/networking.${domain}/v1`,
    POL: '/apis/policy/v1',
    FLOW: `/apis/flowcontrol.apiserver.${domain}/v1`,
    ADM: `/apis/admissionregistration.${domain}/v1`,
  };

  const baseOf = (sample: KindSample): string =>
    `${groupPaths[pathGroupOfGroup[sample.group] ?? ''] ?? ''}${sample.namespaced ? `/namespaces/${namespace}` : ''}/${sample.plural}`;

  /** The path of a row for one object, as the table's abbreviations mean it. */
  function resolvePath(row: EndpointRow, name: string): string {
    const base = baseOf(row.sample);
    let path = row.template;
    if (path.startsWith('.../{name}')) {
      path = base + path.slice(3);
    } else if (path.startsWith('...')) {
      path = base.slice(0, base.lastIndexOf('/')) + path.slice(3);
    } else {
      path = path.replace(/^[A-Z]+/, (word) => groupPaths[word] ?? word);
    }
    return path.replace('{name}', name);
  }

  const newName = (): string => `walk-${++counter}`;
  const apiVersionOf = (sample: KindSample): string =>
    sample.group === '' ? 'v1' : `${sample.group.replace('{domain}', domain)}/v1`;
  const newObject = (sample: KindSample, name: string, extra: object = {}): Record<string, unknown> => ({
    apiVersion: apiVersionOf(sample),
    kind: sample.kind,
    metadata: { name, ...extra },
    spec: sample.spec,
  });

  async function createOne(sample: KindSample, extra?: object): Promise<string> {
    const name = newName();
    const answer = await service.request('POST', baseOf(sample), { body: newObject(sample, name, extra) });
    expect(answer.status, answer.text).toBe(201);
    await settleStatus(service, sample.kind, `${baseOf(sample)}/${name}`);
    return name;
  }

  const read = (sample: KindSample, name: string): Promise<ServiceResponse> =>
    service.request('GET', `${baseOf(sample)}/${name}`);

  async function readPresent(sample: KindSample, name: string): Promise<Record<string, unknown>> {
    const answer = await read(sample, name);
    expect(answer.status).toBe(200);
    return answer.json as Record<string, unknown>;
  }

  /** A request that the row's operation accepts; `query` is appended, `unknownField` puts a field that no schema knows into the body. */
  async function prepare(
    row: EndpointRow,
    given: { readonly unknownField?: boolean } = {},
  ): Promise<{ name: string; path: string; options: RequestOptions }> {
    const { sample } = row;
    const status = row.operation.endsWith('status');
    const surplus = given.unknownField ? { surplus: 1 } : {};
    if (row.operation === 'create') {
      const name = newName();
      return {
        name,
        path: baseOf(sample),
        options: { body: { ...newObject(sample, name), spec: { ...sample.spec, ...surplus } } },
      };
    }
    const name = await createOne(sample, { labels: { walk: `w${counter}` } });
    const path = resolvePath(row, name);
    if (row.operation === 'update' || row.operation === 'update status') {
      const live = await readPresent(sample, name);
      const changed = status
        ? { ...live, status: { ...sample.status, ...surplus } }
        : { ...live, spec: { ...(live['spec'] as object), ...sample.change, ...surplus } };
      return { name, path, options: { body: changed } };
    }
    if (row.operation === 'patch' || row.operation === 'patch status') {
      const part = status ? { status: { ...sample.status, ...surplus } } : { spec: { ...sample.change, ...surplus } };
      return { name, path, options: { body: part, headers: { 'content-type': 'application/merge-patch+json' } } };
    }
    return {
      name,
      path: row.operation === 'deletecollection' ? `${path}?labelSelector=walk%3Dw${counter}` : path,
      options: {},
    };
  }

  const addQuery = (path: string, query: string): string => `${path}${path.includes('?') ? '&' : '?'}${query}`;

  async function send(row: EndpointRow, query?: string, given?: { readonly unknownField?: boolean }) {
    const prepared = await prepare(row, given);
    const path = query === undefined ? prepared.path : addQuery(prepared.path, query);
    return { name: prepared.name, answer: await service.request(row.method, path, prepared.options) };
  }

  const isWrite = (row: EndpointRow): boolean => /^(create|update|patch)/.test(row.operation);

  /** How each parameter shows that it was heeded, for one operation. Absent: Kubernetes has no such parameter there. */
  const observers: Record<string, (row: EndpointRow) => Promise<void>> = {
    async pretty(row) {
      const plain = await send(row, 'pretty=false');
      const indented = await send(row, 'pretty=true');
      expect(plain.answer.text.trimEnd()).not.toContain('\n');
      expect(indented.answer.text).toMatch(/\n {2}"/);
      expect(indented.answer.status).toBe(plain.answer.status);
    },
    async dryRun(row) {
      const prepared = await prepare(row);
      const before = await read(row.sample, prepared.name);
      const answer = await service.request(row.method, addQuery(prepared.path, 'dryRun=All'), prepared.options);
      expect(row.codes).toContain(answer.status);
      const after = await read(row.sample, prepared.name);
      expect(after.status).toBe(before.status);
      expect(after.json?.metadata?.resourceVersion).toBe(before.json?.metadata?.resourceVersion);
      const refused = await service.request(row.method, addQuery(prepared.path, 'dryRun=Some'), prepared.options);
      expect(refused.status).toBeGreaterThanOrEqual(400);
    },
    async fieldManager(row) {
      const { answer, name } = await send(row, 'fieldManager=walker');
      expect(answer.status, answer.text).toBeLessThan(300);
      const live = await readPresent(row.sample, name);
      const entries = (live['metadata'] as { managedFields?: { manager?: string; subresource?: string }[] })
        .managedFields;
      expect(entries?.map((entry) => entry.manager)).toContain('walker');
    },
    async fieldValidation(row) {
      const strict = await send(row, 'fieldValidation=Strict', { unknownField: true });
      expect(strict.answer.status, strict.answer.text).toBe(row.operation.startsWith('patch') ? 422 : 400);
      expect(strict.answer.text).toContain('surplus');
      const warned = await send(row, 'fieldValidation=Warn', { unknownField: true });
      expect(warned.answer.status).toBeLessThan(300);
      expect(warned.answer.headers['warning']).toContain('surplus');
      const ignored = await send(row, 'fieldValidation=Ignore', { unknownField: true });
      expect(ignored.answer.headers['warning']).toBeUndefined();
    },
    async force(row) {
      const { sample } = row;
      const name = await createOne(sample);
      const part =
        row.operation === 'patch status' ? { status: sample.status } : { spec: { ...sample.spec, ...sample.change } };
      const path = resolvePath(row, name);
      const apply = (manager: string, value: object, query: string): Promise<ServiceResponse> =>
        service.request('PATCH', `${path}?fieldManager=${manager}${query}`, {
          headers: { 'content-type': 'application/apply-patch+yaml' },
          body: JSON.stringify({ apiVersion: apiVersionOf(sample), kind: sample.kind, metadata: { name }, ...value }),
        });
      if (row.operation === 'patch status') {
        const first = await apply('first', part, '&force=true');
        expect(first.status, first.text).toBe(200);
        const other = JSON.parse(
          JSON.stringify(part).replaceAll(/"(3|seen|192\.0\.2\.1)"|"currentHealthy":2/g, (text) =>
            text.startsWith('"currentHealthy')
              ? '"currentHealthy":3'
              : `"${text === '"3"' ? '4' : text === '"seen"' ? 'changed' : '192.0.2.2'}"`,
          ),
        ) as object;
        if (sample.kind === 'Ingress') {
          return; // an atomic list of one: the test below covers it through the spec
        }
        const refused = await apply('second', other, '');
        expect(refused.status, refused.text).toBe(409);
        expect((await apply('second', other, '&force=true')).status).toBe(200);
        return;
      }
      const refused = await apply('second', part, '');
      expect(refused.status, refused.text).toBe(409);
      expect(refused.json.details.causes[0].reason).toBe('FieldManagerConflict');
      const taken = await apply('second', part, '&force=true');
      expect(taken.status, taken.text).toBe(200);
    },
    async limit(row) {
      const label = `page${++counter}`;
      await createOne(row.sample, { labels: { page: label } });
      await createOne(row.sample, { labels: { page: label } });
      const path = `${resolvePath(row, '')}?labelSelector=page%3D${label}`;
      if (row.operation === 'deletecollection') {
        expect((await service.request('DELETE', `${path}&limit=1`)).status).toBe(200);
        const left = await service.request('GET', path);
        expect(left.json.items).toHaveLength(1);
        return;
      }
      const page = await service.request('GET', `${path}&limit=1`);
      expect(page.json.items).toHaveLength(1);
      expect(page.json.metadata.continue).toBeTruthy();
    },
    async continue(row) {
      const label = `page${++counter}`;
      const first = await createOne(row.sample, { labels: { page: label } });
      const second = await createOne(row.sample, { labels: { page: label } });
      const path = `${resolvePath(row, '')}?labelSelector=page%3D${label}`;
      const page = await service.request('GET', `${path}&limit=1`);
      const token = encodeURIComponent(page.json.metadata.continue as string);
      if (row.operation === 'deletecollection') {
        expect((await service.request('DELETE', `${path}&limit=1&continue=${token}`)).status).toBe(200);
        expect((await read(row.sample, first)).status).toBe(200);
        expect((await read(row.sample, second)).status).toBe(404);
        return;
      }
      const rest = await service.request('GET', `${path}&continue=${token}`);
      expect(rest.json.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual([second]);
      expect((await service.request('GET', `${path}&continue=broken`)).status).toBe(400);
    },
    async watch(row) {
      const name = await createOne(row.sample);
      const message: IncomingMessage = await service.open(
        'GET',
        `${resolvePath(row, '')}?watch=true&fieldSelector=metadata.name%3D${name}`,
      );
      expect(message.statusCode).toBe(200);
      for await (const chunk of message) {
        const event = JSON.parse((chunk as Buffer).toString('utf8').split('\n')[0] ?? '');
        expect(event.type).toBe('ADDED');
        expect(event.object.metadata.name).toBe(name);
        break;
      }
    },
    async resourceVersionMatch(row) {
      const path = resolvePath(row, '');
      const before = await service.request('GET', `${path}?limit=1`);
      const version = before.json.metadata.resourceVersion as string;
      const name = await createOne(row.sample);
      const exact = await service.request(
        'GET',
        `${path}?resourceVersion=${version}&resourceVersionMatch=Exact&fieldSelector=metadata.name%3D${name}`,
      );
      expect(exact.status, exact.text).toBe(200);
      expect(exact.json.items).toHaveLength(0);
      const fresh = await service.request(
        'GET',
        `${path}?resourceVersion=${version}&resourceVersionMatch=NotOlderThan&fieldSelector=metadata.name%3D${name}`,
      );
      expect(fresh.json.items).toHaveLength(1);
      expect((await service.request('GET', `${path}?resourceVersionMatch=Exact`)).status).toBe(422);
    },
  };

  /** Parameters that Kubernetes 1.34 has on an operation, whether or not the table lists them. */
  function parametersOf(row: EndpointRow): string[] {
    if (row.operation.startsWith('get')) return ['pretty'];
    if (row.operation.startsWith('list')) return ['pretty', 'limit', 'continue', 'watch', 'resourceVersionMatch'];
    if (isWrite(row)) {
      return ['pretty', 'dryRun', 'fieldManager', 'fieldValidation', ...(row.method === 'PATCH' ? ['force'] : [])];
    }
    return row.operation === 'delete' ? ['pretty', 'dryRun'] : ['pretty', 'dryRun', 'limit', 'continue'];
  }

  /** Provokes one success code of an operation. */
  async function provoke(row: EndpointRow, code: number): Promise<ServiceResponse> {
    const { sample } = row;
    if (code === 201 && row.operation === 'update') {
      const name = newName();
      return service.request('PUT', resolvePath(row, name), { body: newObject(sample, name) });
    }
    if (code === 201 && row.operation === 'patch') {
      const name = newName();
      return service.request('PATCH', `${resolvePath(row, name)}?fieldManager=walker`, {
        headers: { 'content-type': 'application/apply-patch+yaml' },
        body: JSON.stringify(newObject(sample, name)),
      });
    }
    if (code === 202 && row.operation === 'delete') {
      const name = await createOne(sample, { finalizers: ['walk.example/hold'] });
      return service.request('DELETE', resolvePath(row, name), {
        body: { apiVersion: 'v1', kind: 'DeleteOptions', orphanDependents: false },
      });
    }
    return (await send(row)).answer;
  }

  const cases = readRows();
  const check = (row: EndpointRow, name: string, run: () => Promise<void>): void =>
    checkContract(subject, `${row.sample.kind} ${row.operation}`, name, run);

  it('reads every row of the nine tables', () => {
    expect(cases).toHaveLength(86);
    expect(new Set(cases.map((row) => row.sample.kind)).size).toBe(9);
  });

  for (const row of cases) {
    describe(`[${row.id}] ${row.operation} ${row.template}`, () => {
      for (const code of row.codes) {
        const exception = unproduced.find(
          (entry) =>
            entry.operation.test(row.operation) && entry.code === code && (entry.kinds?.test(row.sample.kind) ?? true),
        );
        if (exception) {
          continue;
        }
        check(row, `answers ${code} ${row.answerKind}`, async () => {
          const answer = await provoke(row, code);
          expect(answer.status, answer.text).toBe(code);
          const kinds = row.operation === 'delete' ? ['Status', row.sample.kind] : [row.answerKind];
          expect(kinds).toContain(answer.json.kind);
          if (row.operation === 'delete' && code === 200) {
            expect(answer.json.kind).toBe(row.answerKind);
          }
        });
      }

      check(row, 'answers 401 without a valid identity', async () => {
        const path = resolvePath(row, 'nobody');
        for (const identity of [{ anonymous: true }, { token: 'not-a-token' }]) {
          const answer = await service.request(row.method, path, {
            ...identity,
            ...(isWrite(row) ? { body: newObject(row.sample, 'nobody') } : {}),
          });
          expect(answer.status).toBe(401);
          expect(answer.json).toMatchObject({ kind: 'Status', reason: 'Unauthorized', code: 401 });
        }
      });

      for (const parameter of new Set([...row.parameters, ...parametersOf(row)])) {
        check(
          row,
          `heeds ${parameter}${row.parameters.includes(parameter) ? '' : ' (not in the table, in Kubernetes)'}`,
          async () => {
            const observe = observers[parameter];
            expect(observe, `no observer for ${parameter}`).toBeDefined();
            await observe?.(row);
          },
        );
      }
    });
  }
}
