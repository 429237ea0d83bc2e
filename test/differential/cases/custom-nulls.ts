import { create, patch, read, type DifferentialCase } from '../differential-case.ts';
import { established, inNamespace, thing, version } from './define-things.ts';

const p = inNamespace();
const schema = {
  openAPIV3Schema: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          s: { type: 'string' },
          n: { type: 'number' },
          b: { type: 'boolean' },
          o: { type: 'object', properties: { x: { type: 'string' } } },
          m: { type: 'object', additionalProperties: { type: 'string' } },
          am: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: { type: 'string' } },
          l: { type: 'array', items: { type: 'string' } },
          set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
          map: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['k'],
            items: { type: 'object', required: ['k'], properties: { k: { type: 'string' }, v: { type: 'integer' } } },
          },
          nul: { type: 'string', nullable: true },
          open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          ios: { 'x-kubernetes-int-or-string': true },
          def: { type: 'string', default: 'x' },
          nulo: { type: 'object', nullable: true, properties: { x: { type: 'string' } } },
        },
      },
    },
  },
};
const specs = [
  { s: null },
  { n: null },
  { b: null },
  { o: null },
  { o: { x: null } },
  { m: null },
  { m: { a: null } },
  { am: null },
  { am: { a: null } },
  { l: null },
  { l: [null] },
  { set: null },
  { set: [null] },
  { map: null },
  { map: [{ k: 'a', v: null }] },
  { map: [null] },
  { nul: null },
  { open: null },
  { open: { a: null, b: [null] } },
  { ios: null },
  { def: null },
  { nulo: null },
  { nulo: { x: null } },
];
/** Nulls in custom objects: Kubernetes drops them from what is created, and refuses them in what is applied. */
export const customNullCases: readonly DifferentialCase[] = [
  {
    name: 'nulls',
    steps: [
      ...established([version('v1', { schema })]),
      ...specs.flatMap((s, i) => [
        patch('apply', `${p}/n${i}?fieldManager=m`, thing(`n${i}`, s)),
        create(p, thing(`c${i}`, s)),
        create(p, thing(`e${i}`, {})),
        patch('apply', `${p}/e${i}?fieldManager=m`, thing(`e${i}`, s)),
        read(`${p}/e${i}`),
      ]),
      patch('apply', `${p}/z?fieldManager=m`, { ...thing('z'), spec: null }),
      ...[
        { set: ['a'] },
        { set: [] },
        {},
        { map: [{ k: 'a', v: 1 }] },
        {},
        { m: { a: '1' }, o: { x: 'y' } },
        { m: {} },
        {},
        { open: { a: { b: 1 } } },
        { open: {} },
        { open: { a: null } },
        {},
      ].map((s) => patch('apply', `${p}/e0?fieldManager=w`, thing('e0', s))),
      patch('merge', `${p}/e1`, { spec: { set: ['p', 'q'], map: [{ k: 'z' }], m: { q: '1' } } }),
      ...[{ set: ['a'], map: [{ k: 'y' }], m: { r: '2' } }, { set: [], map: [], m: {} }, {}].map((s) =>
        patch('apply', `${p}/e1?fieldManager=w`, thing('e1', s)),
      ),
      read(`${p}/e1`),
      patch('apply', `${p}/e2?fieldManager=w`, thing('e2', { set: ['a'], map: [{ k: 'y' }], m: { r: '2' } })),
      patch('merge', `${p}/e2`, { spec: { set: null, map: null, m: null } }),
      patch('apply', `${p}/e2?fieldManager=w`, thing('e2', {})),
      read(`${p}/e2`),
      patch('apply', `${p}/z?fieldManager=m`, {
        ...thing('z'),
        metadata: { name: 'z', labels: null, annotations: { a: null } },
      }),
    ],
  },
];
