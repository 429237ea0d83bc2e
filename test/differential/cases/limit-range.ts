import { create, patch, read, remove, update, type DifferentialCase } from '../differential-case.ts';

const path = '/api/v1/namespaces/{{ns}}/limitranges';

function limitRange(name: string, limits: unknown, more: object = {}): object {
  return { apiVersion: 'v1', kind: 'LimitRange', metadata: { name, ...more }, spec: { limits } };
}

const container = { type: 'Container', max: { cpu: '2', memory: '1Gi' }, min: { cpu: '100m' } };

/** Writes and reads of LimitRanges. */
export const limitRangeCases: readonly DifferentialCase[] = [
  {
    name: 'limit-range-life',
    steps: [
      create(path, limitRange('a', [container])),
      read(`${path}/a`),
      read(path),
      update(`${path}/a`, limitRange('a', [{ ...container, default: { cpu: '1500m' } }])),
      patch('merge', `${path}/a`, { metadata: { labels: { x: 'y' } } }),
      patch('strategic', `${path}/a`, { spec: { limits: [] } }),
      patch('json', `${path}/a`, [{ op: 'add', path: '/spec/limits/-', value: { type: 'Pod' } }]),
      patch('apply', `${path}/a?fieldManager=m&force=true`, limitRange('a', [container])),
      create(path, limitRange('a', [])),
      remove(`${path}/a`),
      read(`${path}/a`),
      remove(`${path}/a`),
    ],
  },
];
