import { describe, expect, it } from 'vitest';

import { checkContract, type ContractSubject } from './contract-case.ts';
import { readRows, unproduced, type EndpointRow } from './endpoint-rows.ts';
import { EndpointWalker, isWrite } from './endpoint-walker.ts';
import { buildParameterObservers, listParameters } from './observe-parameters.ts';

/** Walks the endpoint tables of the specification at a subject: every row's codes, its identity rule, and every parameter. */
export function walkEndpoints(subject: ContractSubject): void {
  const walker = new EndpointWalker(subject);
  const observers = buildParameterObservers(walker);
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
          const answer = await walker.provoke(row, code);
          expect(answer.status, answer.text).toBe(code);
          const kinds = row.operation === 'delete' ? ['Status', row.sample.kind] : [row.answerKind];
          expect(kinds).toContain(answer.json.kind);
          if (row.operation === 'delete' && code === 200) {
            expect(answer.json.kind).toBe(row.answerKind);
          }
        });
      }

      check(row, 'answers 401 without a valid identity', async () => {
        const path = walker.resolvePath(row, 'nobody');
        for (const identity of [{ anonymous: true }, { token: 'not-a-token' }]) {
          const answer = await walker.service.request(row.method, path, {
            ...identity,
            ...(isWrite(row) ? { body: walker.newObject(row.sample, 'nobody') } : {}),
          });
          expect(answer.status).toBe(401);
          expect(answer.json).toMatchObject({ kind: 'Status', reason: 'Unauthorized', code: 401 });
        }
      });

      for (const parameter of new Set([...row.parameters, ...listParameters(row)])) {
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
