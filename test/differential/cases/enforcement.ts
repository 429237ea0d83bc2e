import type { JsonObject } from '../../../core/meta/json.ts';
import { create, patch, read, remove, type DifferentialCase, type DifferentialStep } from '../differential-case.ts';
import { awaitSettled } from './await-settled.ts';

const core = '/api/v1/namespaces/{{ns}}';
const ranges = `${core}/limitranges`;
const quotas = `${core}/resourcequotas`;
const pods = `${core}/pods`;
const claims = `${core}/persistentvolumeclaims`;

function makePod(name: string, resources: JsonObject = {}, more: JsonObject = {}): JsonObject {
  const containers = [{ name: 'c', image: 'example.com/c', resources }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers, ...more } };
}

function makeClaim(name: string, storage: string): JsonObject {
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } };
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name }, spec };
}

function makeRange(...limits: JsonObject[]): DifferentialStep {
  return create(ranges, { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'range' }, spec: { limits } });
}

/** Creates a quota and waits until it is in force. */
function makeQuota(hard: JsonObject, more: JsonObject = {}): DifferentialStep[] {
  const object = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'quota' }, spec: { hard, ...more } };
  return [create(quotas, object), awaitSettled('ResourceQuota', `${quotas}/quota`)];
}

const tryPod = (...words: Parameters<typeof makePod>): DifferentialStep =>
  create(`${pods}?dryRun=All`, makePod(...words));

/** Reads the quota until so much is in use. */
const awaitUse = (used: JsonObject): DifferentialStep =>
  read(`${quotas}/quota`, {
    // How often it is written, and by whom, is the servers' own affair.
    ignores: ['metadata.managedFields', 'metadata.resourceVersion'],
    until: ({ status }) => Object.entries(used).every(([name, amount]) => status?.used?.[name] === amount),
  });

/** What limit ranges and quotas do to other objects. */
export const enforcementCases: readonly DifferentialCase[] = [
  {
    name: 'limits-of-containers',
    steps: [
      makeRange({
        type: 'Container',
        max: { cpu: '2', memory: '1Gi' },
        min: { cpu: '100m' },
        default: { cpu: '1' },
        defaultRequest: { cpu: '500m', memory: '64Mi' },
        maxLimitRequestRatio: { cpu: '4' },
      }),
      tryPod('defaults'),
      tryPod('own', { limits: { cpu: '2', memory: '1Gi' }, requests: { cpu: '1' } }),
      tryPod('over', { limits: { cpu: '3' } }),
      tryPod('under', { requests: { cpu: '50m' }, limits: { cpu: '100m' } }),
      tryPod('ratio', { requests: { cpu: '200m' }, limits: { cpu: '2' } }),
      tryPod('all', { requests: { cpu: '1m' }, limits: { cpu: '5', memory: '2Gi' } }),
      tryPod(
        'init',
        {},
        { initContainers: [{ name: 'i', image: 'example.com/i', resources: { limits: { cpu: '9' } } }] },
      ),
      tryPod('more-than-limit', { requests: { cpu: '2' }, limits: { cpu: '1' } }),
    ],
  },
  {
    name: 'limits-of-pods-and-claims',
    steps: [
      makeRange(
        { type: 'Pod', max: { cpu: '2', memory: '1Gi' }, min: { cpu: '200m' }, maxLimitRequestRatio: { memory: '2' } },
        { type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '5Gi' } },
      ),
      tryPod('without'),
      tryPod('within', { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1', memory: '1Gi' } }),
      tryPod('over', { limits: { cpu: '3', memory: '2Gi' } }),
      tryPod('ratio', { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1', memory: '128Mi' } }),
      create(`${claims}?dryRun=All`, makeClaim('small', '1Mi')),
      create(`${claims}?dryRun=All`, makeClaim('right', '3Gi')),
      create(`${claims}?dryRun=All`, makeClaim('large', '10Gi')),
    ],
  },
  {
    name: 'quotas-of-compute',
    steps: [
      ...makeQuota({ pods: '2', 'requests.cpu': '1', 'limits.memory': '1Gi' }),
      tryPod('without'),
      tryPod('part', { requests: { cpu: '100m' } }),
      create(pods, makePod('one', { requests: { cpu: '600m' }, limits: { memory: '512Mi' } })),
      awaitUse({ pods: '1' }),
      tryPod('too-much', { requests: { cpu: '500m' }, limits: { memory: '768Mi' } }),
      create(pods, makePod('two', { requests: { cpu: '400m' }, limits: { memory: '512Mi' } })),
      awaitUse({ pods: '2' }),
      tryPod('third', { requests: { cpu: '1m' }, limits: { memory: '1Mi' } }),
      remove(`${pods}/one`, { gracePeriodSeconds: 0 }, { compares: 'status' }),
      awaitUse({ pods: '1' }),
      tryPod('third', { requests: { cpu: '1m' }, limits: { memory: '1Mi' } }),
      patch('merge', `${quotas}/quota`, { spec: { hard: { pods: '1' } } }),
      awaitSettled('ResourceQuota', `${quotas}/quota`),
      tryPod('third', { requests: { cpu: '1m' }, limits: { memory: '1Mi' } }),
    ],
  },
  {
    name: 'quotas-of-counts',
    steps: [
      ...makeQuota({
        'count/secrets': '1',
        services: '1',
        'services.nodeports': '0',
        persistentvolumeclaims: '1',
        'requests.storage': '2Gi',
      }),
      create(`${core}/secrets`, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'one' } }),
      create(`${core}/secrets`, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'two' } }),
      create(claims, makeClaim('one', '1Gi'), { compares: 'status' }),
      create(`${claims}?dryRun=All`, makeClaim('two', '2Gi')),
      create(`${core}/services`, {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'node' },
        spec: { type: 'NodePort', ports: [{ port: 80 }] },
      }),
      awaitUse({ 'count/secrets': '1', persistentvolumeclaims: '1' }),
    ],
  },
  {
    name: 'quotas-with-scopes',
    steps: [
      ...makeQuota({ pods: '0' }, { scopes: ['BestEffort'] }),
      tryPod('best-effort'),
      tryPod('burstable', { requests: { cpu: '1m' } }),
      remove(`${quotas}/quota`, undefined, { compares: 'status' }),
      ...makeQuota({ pods: '0' }, { scopes: ['Terminating'] }),
      tryPod('endless'),
      tryPod('ending', {}, { activeDeadlineSeconds: 5 }),
      remove(`${quotas}/quota`, undefined, { compares: 'status' }),
      ...makeQuota(
        { pods: '0' },
        { scopeSelector: { matchExpressions: [{ scopeName: 'CrossNamespacePodAffinity', operator: 'Exists' }] } },
      ),
      tryPod('alone'),
      tryPod(
        'affine',
        {},
        {
          affinity: {
            podAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                { topologyKey: 'zone', labelSelector: { matchLabels: { a: 'b' } }, namespaces: ['other'] },
              ],
            },
          },
        },
      ),
    ],
  },
];
