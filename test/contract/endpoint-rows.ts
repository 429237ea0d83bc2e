import rows from '../spec/rows.json' with { type: 'json' };
import { kindSamples } from '../spec/samples.ts';
import type { KindSample } from '../spec/samples.ts';

/** An operation of the tables. */
export type Operation =
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

/** A row of an endpoint table. */
export interface EndpointRow {
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
export const unproduced: readonly {
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

/** The rows of the nine tables. */
export function readRows(): EndpointRow[] {
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
