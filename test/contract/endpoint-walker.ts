import { expect } from 'vitest';

import type { RequestOptions, ServiceResponse } from '../service/start-service.ts';
import type { KindSample } from '../spec/samples.ts';
import { settleStatus, type WrittenConditions } from '../spec/settle-status.ts';
import type { ContractSubject } from './contract-case.ts';
import type { EndpointRow } from './endpoint-rows.ts';

const namespace = 'walk';
const pathGroupOfGroup: Record<string, string> = {
  '': 'CORE',
  'networking.{domain}': 'NET',
  policy: 'POL',
  'flowcontrol.apiserver.{domain}': 'FLOW',
  'admissionregistration.{domain}': 'ADM',
};

/** A path with a further query. */
export function addQuery(path: string, query: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

/** A request that a row's operation accepts, and the object that it is about. */
export interface PreparedRequest {
  readonly name: string;
  readonly path: string;
  readonly options: RequestOptions;
}

/** Whether a row's operation writes an object. */
export function isWrite(row: EndpointRow): boolean {
  return /^(create|update|patch)/.test(row.operation);
}

/** Makes the requests of the endpoint tables at a subject, with objects of their own. */
export class EndpointWalker {
  readonly service: Pick<ContractSubject, 'request' | 'open'>;
  readonly #domain: string;
  readonly #written: WrittenConditions | undefined;
  readonly #groupPaths: Readonly<Record<string, string>>;
  #count = 0;

  constructor(subject: ContractSubject) {
    const { domain } = subject;
    this.service = { request: subject.request, open: subject.open };
    this.#domain = domain;
    this.#written = subject.written;
    this.#groupPaths = {
      CORE: '/api/v1',
      NET: `/apis/networking.${domain}/v1`,
      POL: '/apis/policy/v1',
      FLOW: `/apis/flowcontrol.apiserver.${domain}/v1`,
      ADM: `/apis/admissionregistration.${domain}/v1`,
    };
  }

  /** Path of a kind's collection. */
  baseOf(sample: KindSample): string {
    const groupPath = this.#groupPaths[pathGroupOfGroup[sample.group] ?? ''] ?? '';
    return `${groupPath}${sample.namespaced ? `/namespaces/${namespace}` : ''}/${sample.plural}`;
  }

  /** The path of a row for one object, as the table's abbreviations mean it. */
  resolvePath(row: EndpointRow, name: string): string {
    const base = this.baseOf(row.sample);
    let path = row.template;
    if (path.startsWith('.../{name}')) {
      path = base + path.slice(3);
    } else if (path.startsWith('...')) {
      path = base.slice(0, base.lastIndexOf('/')) + path.slice(3);
    } else {
      path = path.replace(/^[A-Z]+/, (word) => this.#groupPaths[word] ?? word);
    }
    return path.replace('{name}', name);
  }

  /** A name that nobody has. */
  newName(): string {
    this.#count += 1;
    return `walk-${this.#count}`;
  }

  apiVersionOf(sample: KindSample): string {
    return sample.group === '' ? 'v1' : `${sample.group.replace('{domain}', this.#domain)}/v1`;
  }

  /** An object that is valid; `extra` goes into its metadata. */
  newObject(sample: KindSample, name: string, extra: object = {}): Record<string, unknown> {
    return {
      apiVersion: this.apiVersionOf(sample),
      kind: sample.kind,
      metadata: { name, ...extra },
      spec: sample.spec,
    };
  }

  /** Creates an object and waits until its status is written; its name. */
  async createOne(sample: KindSample, extra?: object): Promise<string> {
    const name = this.newName();
    const answer = await this.service.request('POST', this.baseOf(sample), {
      body: this.newObject(sample, name, extra),
    });
    expect(answer.status, answer.text).toBe(201);
    await settleStatus(this.service, sample.kind, `${this.baseOf(sample)}/${name}`, this.#written);
    return name;
  }

  read(sample: KindSample, name: string): Promise<ServiceResponse> {
    return this.service.request('GET', `${this.baseOf(sample)}/${name}`);
  }

  /** An object that must be there. */
  async readPresent(sample: KindSample, name: string): Promise<Record<string, unknown>> {
    const answer = await this.read(sample, name);
    expect(answer.status).toBe(200);
    return answer.json as Record<string, unknown>;
  }

  /** A request that the row's operation accepts; `query` is appended, `unknownField` puts a field that no schema knows into the body. */
  async prepare(row: EndpointRow, given: { readonly unknownField?: boolean } = {}): Promise<PreparedRequest> {
    const { sample } = row;
    const status = row.operation.endsWith('status');
    const surplus = given.unknownField ? { surplus: 1 } : {};
    if (row.operation === 'create') {
      const name = this.newName();
      return {
        name,
        path: this.baseOf(sample),
        options: { body: { ...this.newObject(sample, name), spec: { ...sample.spec, ...surplus } } },
      };
    }
    const name = await this.createOne(sample, { labels: { walk: `w${this.#count}` } });
    const path = this.resolvePath(row, name);
    if (row.operation === 'update' || row.operation === 'update status') {
      const live = await this.readPresent(sample, name);
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
      path: row.operation === 'deletecollection' ? `${path}?labelSelector=walk%3Dw${this.#count}` : path,
      options: {},
    };
  }

  /** Sends a request that the row's operation accepts, with a further query. */
  async send(row: EndpointRow, query?: string, given?: { readonly unknownField?: boolean }) {
    const prepared = await this.prepare(row, given);
    const path = query === undefined ? prepared.path : addQuery(prepared.path, query);
    return { name: prepared.name, answer: await this.service.request(row.method, path, prepared.options) };
  }

  /** Provokes one success code of an operation. */
  async provoke(row: EndpointRow, code: number): Promise<ServiceResponse> {
    const { sample } = row;
    if (code === 201 && row.operation === 'update') {
      const name = this.newName();
      return this.service.request('PUT', this.resolvePath(row, name), { body: this.newObject(sample, name) });
    }
    if (code === 201 && row.operation === 'patch') {
      const name = this.newName();
      return this.service.request('PATCH', `${this.resolvePath(row, name)}?fieldManager=walker`, {
        headers: { 'content-type': 'application/apply-patch+yaml' },
        body: JSON.stringify(this.newObject(sample, name)),
      });
    }
    if (code === 202 && row.operation === 'delete') {
      const name = await this.createOne(sample, { finalizers: ['walk.example/hold'] });
      return this.service.request('DELETE', this.resolvePath(row, name), {
        body: { apiVersion: 'v1', kind: 'DeleteOptions', orphanDependents: false },
      });
    }
    return (await this.send(row)).answer;
  }
}
