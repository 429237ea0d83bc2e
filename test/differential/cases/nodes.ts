import { create, patch, read, remove, type DifferentialCase, type DifferentialStep } from '../differential-case.ts';
import { collections } from './api-objects.ts';

const { pods } = collections;
const nodes = '/api/v1/nodes';
const node = `${nodes}/{{case}}`;
const notReady = 'node.kubernetes.io/not-ready';
const unreachable = 'node.kubernetes.io/unreachable';

function createNode(spec: object | undefined, more: object = {}): DifferentialStep {
  return create(nodes, {
    ...{ apiVersion: 'v1', kind: 'Node', metadata: { name: '{{case}}', ...more } },
    ...(spec === undefined ? {} : { spec }),
  });
}

function createPod(name: string, tolerations?: object[]): DifferentialStep {
  const spec = { containers: [{ name: 'c', image: 'example.com/c' }], ...(tolerations && { tolerations }) };
  return create(pods, { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec });
}

function makeNodeCase(name: string, spec: object | undefined, ...steps: DifferentialStep[]): DifferentialCase {
  return { name: `node-${name}`, steps: [createNode(spec), ...steps, read(node), remove(node)] };
}

function tolerate(key: string, more: object = {}): object {
  return { key, operator: 'Exists', ...more };
}

/** What admission makes of new nodes and of pods on nodes in trouble. Nobody watches the nodes on either server. */
export const nodeCases: readonly DifferentialCase[] = [
  makeNodeCase('taints-of-none', undefined),
  makeNodeCase('taints-of-an-empty-spec', {}),
  makeNodeCase('taints-of-its-own', { taints: [{ key: 'a', effect: 'NoSchedule' }] }),
  makeNodeCase('taints-with-the-same', { taints: [{ key: notReady, value: 'v', effect: 'NoSchedule' }] }),
  makeNodeCase('taints-with-another-effect', { taints: [{ key: notReady, effect: 'NoExecute' }] }),
  makeNodeCase('taints-twice', { taints: [notReady, notReady].map((key) => ({ key, effect: 'NoSchedule' })) }),
  makeNodeCase(
    'taints-taken-off',
    undefined,
    patch('merge', node, { spec: { taints: null } }),
    patch('merge', node, { spec: { unschedulable: true } }),
    patch('merge', `${node}/status`, { status: { conditions: [{ type: 'Ready', status: 'True' }] } }),
    patch('strategic', `${node}/status`, { status: { conditions: [{ type: 'MemoryPressure', status: 'True' }] } }),
  ),
  {
    name: 'node-taints-applied',
    steps: [
      patch('apply', `${node}?fieldManager=m`, {
        ...{ apiVersion: 'v1', kind: 'Node', metadata: { name: '{{case}}', labels: { a: 'b' } } },
        spec: { unschedulable: true },
      }),
      patch('apply', `${node}?fieldManager=m`, {
        ...{ apiVersion: 'v1', kind: 'Node', metadata: { name: '{{case}}' } },
        spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] },
      }),
      remove(node),
    ],
  },
  {
    name: 'pod-tolerations-by-default',
    steps: [
      createPod('none'),
      createPod('others', [tolerate('a')]),
      createPod('all', [{ operator: 'Exists' }]),
      createPod('all-of-the-effect', [{ operator: 'Exists', effect: 'NoExecute' }]),
      createPod('all-of-another-effect', [{ operator: 'Exists', effect: 'NoSchedule' }]),
      createPod('one', [tolerate(notReady, { effect: 'NoExecute', tolerationSeconds: 5 })]),
      createPod('other', [tolerate(unreachable)]),
      createPod('both', [tolerate(unreachable), tolerate(notReady, { effect: 'NoExecute' })]),
      createPod('by-value', [{ key: notReady, value: 'x' }]),
      createPod('wrong', [tolerate(notReady, { effect: 'NoSchedule', tolerationSeconds: 5 })]),
      patch('apply', `${pods}/applied?fieldManager=m`, {
        ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'applied' } },
        spec: { containers: [{ name: 'c', image: 'example.com/c' }], tolerations: [tolerate('a')] },
      }),
    ],
  },
  {
    name: 'pod-tolerations-changed',
    steps: [
      createPod('p'),
      patch('merge', `${pods}/p`, { metadata: { labels: { a: 'b' } } }),
      patch('merge', `${pods}/p`, { spec: { tolerations: [tolerate('a')] } }),
      patch('json', `${pods}/p`, [{ op: 'add', path: '/spec/tolerations/-', value: tolerate('a') }]),
      patch('json', `${pods}/p`, [{ op: 'replace', path: '/spec/tolerations/0/tolerationSeconds', value: 5 }]),
      patch('merge', `${pods}/p`, { spec: { tolerations: null } }),
      patch('merge', `${pods}/p/status`, { status: { phase: 'Running' } }),
      read(`${pods}/p`),
    ],
  },
];
