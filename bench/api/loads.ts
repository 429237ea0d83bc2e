import type { LoadResult, LoadTask } from './load-client.ts';

/** One row of the comparison. */
export interface Load {
  readonly name: string;
  /** What the figure counts, such as requests in a second. */
  readonly unit: string;
  /** How many times the other's figure ours must be, at least; absent: none was set. */
  readonly goal?: number;
  /** Objects that must be there before. */
  readonly objects: number;
  readonly resource: 'configmaps' | 'pods';
  task(seconds: number): Omit<LoadTask, 'path' | 'first' | 'body' | 'objects'>;
  /** The figure of a result; more is better. */
  rate(result: LoadResult): number;
}

const clients = 16;
const listClients = 4;
/** Watches of the fan-out. */
export const watchers = 100;
/** Objects of a list. */
const listed = 5000;

const settings = [
  'log.level=info',
  'cache.seconds=300',
  'retry.limit=5',
  'upstream.host=backend.default.svc.cluster.local',
  'upstream.port=8443',
  'feature.search=enabled',
  'feature.export=disabled',
].join('\n');

/** Bodies of creates and updates, by resource. */
export const bodies: Readonly<Record<Load['resource'], string>> = {
  configmaps: JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: '%NAME%', labels: { app: 'web', 'app.kubernetes.io/part-of': 'shop', tier: 'front' } },
    data: { 'application.properties': settings, round: '%COUNT%' },
  }),
  pods: JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: '%NAME%', labels: { app: 'web', round: '%COUNT%' } },
    spec: {
      containers: [
        {
          name: 'web',
          image: 'registry.example.com/shop/web:1.4.2',
          ports: [{ containerPort: 8080, name: 'http' }],
          env: [{ name: 'LEVEL', value: 'info' }],
          resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '500m', memory: '256Mi' } },
          readinessProbe: { httpGet: { path: '/ready', port: 'http' } },
        },
      ],
    },
  }),
};

const requests = { unit: 'requests/s', rate: ({ count, seconds }: LoadResult) => count / seconds };

/** What is measured flat out. */
export const loads: readonly Load[] = [
  {
    ...{ name: 'create', goal: 1.5, objects: 0, resource: 'configmaps' },
    ...requests,
    task: (seconds) => ({ mix: { create: 1 }, clients, seconds }),
  },
  {
    ...{ name: 'create pods', objects: 0, resource: 'pods' },
    ...requests,
    task: (seconds) => ({ mix: { create: 1 }, clients, seconds }),
  },
  {
    ...{ name: 'update', objects: 1000, resource: 'configmaps' },
    ...requests,
    task: (seconds) => ({ mix: { update: 1 }, clients, seconds }),
  },
  {
    ...{ name: 'get', goal: 2, objects: 1000, resource: 'configmaps' },
    ...requests,
    task: (seconds) => ({ mix: { get: 1 }, clients, seconds }),
  },
  {
    ...{ name: `list of ${listed}`, goal: 1.5, objects: listed, resource: 'configmaps' },
    ...requests,
    task: (seconds) => ({ mix: { list: 1 }, clients: listClients, seconds }),
  },
  {
    ...{ name: `watch, to ${watchers}`, goal: 1, objects: 0, resource: 'configmaps', unit: 'events/s' },
    task: () => ({ mix: { create: 1 }, clients, count: 500, watchers }),
    rate: ({ created, seconds }) => (created * watchers) / seconds,
  },
];

/** A load well below what either can do, for latencies: of ten requests six read. */
export const fixedLoad = {
  perSecond: 300,
  objects: 1000,
  task: (seconds: number): Omit<LoadTask, 'path' | 'first' | 'body' | 'objects'> => ({
    mix: { get: 6, update: 2, create: 2 },
    ...{ clients: 64, seconds, perSecond: fixedLoad.perSecond },
  }),
};
