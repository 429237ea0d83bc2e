import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../core/meta/json.ts';
import { formatBytes } from './format-bytes.ts';
import { planPodCheckpoint } from './plan-pod-checkpoint.ts';
import { readCheckpointOptions } from './read-checkpoint-options.ts';
import { readCheckpointRecord } from './read-checkpoint-record.ts';

function makePod(spec: JsonObject) {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'n' }, spec };
}
const one = { nodeName: 'node', containers: [{ name: 'app' }] };
const many = { ...one, containers: [{ name: 'app' }, { name: 'log' }], initContainers: [{ name: 'init' }] };

describe('planPodCheckpoint', () => {
  it.for<[name: string, spec: JsonObject, container: string, plan: object]>([
    ['takes the only container', one, '', { nodeName: 'node', container: 'app' }],
    ['takes the one that is named', many, 'log', { nodeName: 'node', container: 'log' }],
    ['takes an init container', many, 'init', { nodeName: 'node', container: 'init' }],
    [
      'takes an ephemeral container',
      { ...one, ephemeralContainers: [{ name: 'dbg' }] },
      'dbg',
      { nodeName: 'node', container: 'dbg' },
    ],
    [
      'refuses to choose',
      many,
      '',
      { fault: 'a container name must be specified for pod web, choose one of: [init app log]' },
    ],
    ['refuses one that the pod does not have', one, 'x', { fault: 'container x is not valid for pod web' }],
    [
      'refuses a pod without containers',
      { nodeName: 'n' },
      '',
      { fault: 'a container name must be specified for pod web' },
    ],
    [
      'refuses a pod without a node',
      { containers: [{ name: 'app' }] },
      '',
      { fault: 'pod web does not have a host assigned' },
    ],
  ])('%s', ([, spec, container, plan]) => {
    expect(planPodCheckpoint(makePod(spec), container)).toEqual(plan);
  });
});

describe('readCheckpointOptions', () => {
  it.for<[query: string, options: object]>([
    ['', { container: '', timeoutSeconds: undefined, progress: false }],
    ['container=c&progress=true&timeoutSeconds=5', { container: 'c', timeoutSeconds: 5, progress: true }],
    ['progress', { progress: true }],
    ['progress=0', { progress: false }],
    ['timeout=30', { timeoutSeconds: 30 }],
    ['timeout=1m30s', { timeoutSeconds: 90 }],
    ['timeout=1.2s', { timeoutSeconds: 2 }],
    ['timeout=0', { timeoutSeconds: undefined }],
    ['timeout=1m&timeoutSeconds=7', { timeoutSeconds: 7 }],
    ['timeout=-1s', { fault: 'invalid timeout "-1s": must not be negative' }],
    ['timeout=x', { fault: 'invalid timeout: time: invalid duration "x"' }],
    ['dryRun=', { container: '' }],
    ...['dryRun=All', 'dryRun=&dryRun=All', 'dryRun=x'].map((query): [string, object] => [
      query,
      { fault: 'invalid dryRun: whether a container can be checkpointed shows only when it is' },
    ]),
    ['timeoutSeconds=1s', { fault: 'invalid timeoutSeconds "1s": must be a whole number of seconds' }],
    ['timeoutSeconds=86401', { fault: 'invalid timeoutSeconds "86401": must be at most 86400 seconds' }],
  ])('reads %s', ([query, options]) => {
    expect(readCheckpointOptions(new URLSearchParams(query))).toMatchObject(options);
  });
});

const record = {
  name: 'web-app-2026-01-02t03-04-05.678z',
  namespace: 'n',
  podName: 'web',
  podUid: 'u-1',
  containerName: 'app',
  containerId: 'abc',
  nodeName: 'another',
  archive: '/a/b.tar',
  sizeBytes: 7,
  startTime: '2026-01-02T03:04:05.678Z',
  completionTime: '2026-01-02T03:04:06.789Z',
  pinned: true,
};
const asked = { nodeName: 'node', apiVersion: 'node.example.org/v1' };

describe('readCheckpointRecord', () => {
  it('makes a Checkpoint of the node that was asked', () => {
    expect(readCheckpointRecord(record, asked)).toEqual({
      apiVersion: 'node.example.org/v1',
      kind: 'Checkpoint',
      metadata: { name: record.name, namespace: 'n', creationTimestamp: '2026-01-02T03:04:05Z' },
      spec: { podName: 'web', podUID: 'u-1', containerName: 'app', nodeName: 'node', pinned: true },
      status: {
        phase: 'Completed',
        archive: '/a/b.tar',
        sizeBytes: 7,
        startTime: '2026-01-02T03:04:05Z',
        completionTime: '2026-01-02T03:04:06Z',
      },
    });
  });

  it.for<[fault: string, own: JsonObject]>([
    ['name is no name', { name: '../x' }],
    ['name is no name', { name: 7 }],
    ['namespace is no name', { namespace: 'a/b' }],
    ['sizeBytes is no size', { sizeBytes: -1 }],
    ['sizeBytes is no size', { sizeBytes: 1e300 }],
    ['archive is no path', { archive: 'relative' }],
    ['archive is no path', { archive: `/${'a'.repeat(5000)}` }],
    ['archive is no path', { archive: '/a\u001b[2J' }],
    ['a time is none', { startTime: 'now' }],
    ['spec.podName is not valid', { podName: 'a b' }],
    ['spec.podUID is not valid', { podUid: '\u001b' }],
    ['spec.containerName is not valid', { containerName: 'A' }],
  ])('refuses: %s', ([fault, own]) => {
    expect(readCheckpointRecord({ ...record, ...own }, asked)).toEqual({ fault });
  });

  it.for([null, 1, 'text', []])('refuses %j', (value) => {
    expect(readCheckpointRecord(value, asked)).toHaveProperty('fault');
  });
});

it.for<[bytes: number, text: string]>([
  [0, '0'],
  [999, '999'],
  [1000, '1Ki'],
  [1536, '1.5Ki'],
  [20 << 20, '20Mi'],
  [1500 << 20, '1.5Gi'],
])('shows %d bytes as %s', ([bytes, text]) => {
  expect(formatBytes(bytes)).toBe(text);
});
