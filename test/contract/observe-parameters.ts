import type { IncomingMessage } from 'node:http';

import { expect } from 'vitest';

import type { ServiceResponse } from '../service/start-service.ts';
import type { EndpointRow } from './endpoint-rows.ts';
import { addQuery, isWrite, type EndpointWalker } from './endpoint-walker.ts';

/** How each parameter shows that it was heeded, for one operation. Absent: Kubernetes has no such parameter there. */
export function buildParameterObservers(walker: EndpointWalker): Record<string, (row: EndpointRow) => Promise<void>> {
  const { service } = walker;
  return {
    async pretty(row) {
      const plain = await walker.send(row, 'pretty=false');
      const indented = await walker.send(row, 'pretty=true');
      expect(plain.answer.text.trimEnd()).not.toContain('\n');
      expect(indented.answer.text).toMatch(/\n {2}"/);
      expect(indented.answer.status).toBe(plain.answer.status);
    },
    async dryRun(row) {
      const prepared = await walker.prepare(row);
      const before = await walker.read(row.sample, prepared.name);
      const answer = await service.request(row.method, addQuery(prepared.path, 'dryRun=All'), prepared.options);
      expect(row.codes).toContain(answer.status);
      const after = await walker.read(row.sample, prepared.name);
      expect(after.status).toBe(before.status);
      expect(after.json?.metadata?.resourceVersion).toBe(before.json?.metadata?.resourceVersion);
      const refused = await service.request(row.method, addQuery(prepared.path, 'dryRun=Some'), prepared.options);
      expect(refused.status).toBeGreaterThanOrEqual(400);
    },
    async fieldManager(row) {
      // As it was answered: controllers may write right after.
      const { answer } = await walker.send(row, 'fieldManager=walker');
      expect(answer.status, answer.text).toBeLessThan(300);
      const { managedFields: entries } = answer.json.metadata as { managedFields?: { manager?: string }[] };
      expect(entries?.map((entry) => entry.manager)).toContain('walker');
    },
    async fieldValidation(row) {
      const strict = await walker.send(row, 'fieldValidation=Strict', { unknownField: true });
      expect(strict.answer.status, strict.answer.text).toBe(row.operation.startsWith('patch') ? 422 : 400);
      expect(strict.answer.text).toContain('surplus');
      const warned = await walker.send(row, 'fieldValidation=Warn', { unknownField: true });
      expect(warned.answer.status).toBeLessThan(300);
      expect(warned.answer.headers['warning']).toContain('surplus');
      const ignored = await walker.send(row, 'fieldValidation=Ignore', { unknownField: true });
      expect(ignored.answer.headers['warning']).toBeUndefined();
    },
    async force(row) {
      const { sample } = row;
      const name = await walker.createOne(sample);
      const part =
        row.operation === 'patch status' ? { status: sample.status } : { spec: { ...sample.spec, ...sample.change } };
      const path = walker.resolvePath(row, name);
      const apply = (manager: string, value: object, query: string): Promise<ServiceResponse> =>
        service.request('PATCH', `${path}?fieldManager=${manager}${query}`, {
          headers: { 'content-type': 'application/apply-patch+yaml' },
          body: JSON.stringify({
            apiVersion: walker.apiVersionOf(sample),
            kind: sample.kind,
            metadata: { name },
            ...value,
          }),
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
      const label = walker.newName();
      await walker.createOne(row.sample, { labels: { page: label } });
      await walker.createOne(row.sample, { labels: { page: label } });
      const path = `${walker.resolvePath(row, '')}?labelSelector=page%3D${label}`;
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
      const label = walker.newName();
      const first = await walker.createOne(row.sample, { labels: { page: label } });
      const second = await walker.createOne(row.sample, { labels: { page: label } });
      const path = `${walker.resolvePath(row, '')}?labelSelector=page%3D${label}`;
      const page = await service.request('GET', `${path}&limit=1`);
      const token = encodeURIComponent(page.json.metadata.continue as string);
      if (row.operation === 'deletecollection') {
        expect((await service.request('DELETE', `${path}&limit=1&continue=${token}`)).status).toBe(200);
        expect((await walker.read(row.sample, first)).status).toBe(200);
        expect((await walker.read(row.sample, second)).status).toBe(404);
        return;
      }
      const rest = await service.request('GET', `${path}&continue=${token}`);
      expect(rest.json.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual([second]);
      expect((await service.request('GET', `${path}&continue=broken`)).status).toBe(400);
    },
    async watch(row) {
      const name = await walker.createOne(row.sample);
      const message: IncomingMessage = await service.open(
        'GET',
        `${walker.resolvePath(row, '')}?watch=true&fieldSelector=metadata.name%3D${name}`,
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
      const path = walker.resolvePath(row, '');
      const before = await service.request('GET', `${path}?limit=1`);
      const version = before.json.metadata.resourceVersion as string;
      const name = await walker.createOne(row.sample);
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
}

/** Parameters that Kubernetes 1.34 has on an operation, whether or not the table lists them. */
export function listParameters(row: EndpointRow): string[] {
  if (row.operation.startsWith('get')) return ['pretty'];
  if (row.operation.startsWith('list')) return ['pretty', 'limit', 'continue', 'watch', 'resourceVersionMatch'];
  if (isWrite(row)) {
    return ['pretty', 'dryRun', 'fieldManager', 'fieldValidation', ...(row.method === 'PATCH' ? ['force'] : [])];
  }
  return row.operation === 'delete' ? ['pretty', 'dryRun'] : ['pretty', 'dryRun', 'limit', 'continue'];
}
