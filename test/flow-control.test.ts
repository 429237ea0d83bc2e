import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { describeCluster } from './cluster/describe-cluster.ts';
import { startCluster, type Cluster } from './cluster/start-cluster.ts';
import { readMetricFamilies, type MetricFamilies } from './flow-control/read-metric-families.ts';
import { startService, type Service } from './service/start-service.ts';
import { createKubernetesService } from './upstream/create-kubernetes-service.ts';
import { expectUpstreamSpecs } from './upstream/expect-upstream-specs.ts';

const timeoutMillis = 300_000;
const dumps = '/debug/api_priority_and_fairness';
const schemaHeader = 'x-kubernetes-pf-flowschema-uid';
const levelHeader = 'x-kubernetes-pf-prioritylevel-uid';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** What an administrator asks of either. */
type Ask = (method: string, path: string, body?: object) => Promise<Answer>;

describeCluster('API priority and fairness', () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService({ domain: 'k8s.io' });
    await createKubernetesService(service);
  });

  afterAll(() => service?.stop());

  // The two on fairness and priority skip themselves as flaky; the dispatcher's own tests make the same experiments.
  it("passes upstream's own specs", { timeout: timeoutMillis }, async () => {
    await expectUpstreamSpecs({ kubeconfig: service.kubeconfig, focus: ['API priority and fairness'] }, 3);
  });

  describe('beside a real API server', () => {
    let cluster: Cluster;
    let sides: readonly Ask[];

    beforeAll(async () => {
      cluster = await startCluster();
      const askOwn: Ask = (method, path, body) => service.request(method, path, { body });
      const askReal: Ask = async (method, path, body) => {
        const { body: text, ...answer } = await cluster.request(method, path, { body });
        return { ...answer, text: typeof text === 'string' ? text : JSON.stringify(text) };
      };
      sides = [askOwn, askReal];
    });

    afterAll(() => cluster?.stop());

    const askBoth = (method: string, path: string, body?: object): Promise<Answer[]> =>
      Promise.all(sides.map((ask) => ask(method, path, body)));

    it('tells the uids of the same objects', async () => {
      for (const ask of sides) {
        const group = '/apis/flowcontrol.apiserver.k8s.io/v1';
        const readUid = async (plural: string): Promise<string> => {
          const { text } = await ask('GET', `${group}/${plural}/exempt`);
          return (JSON.parse(text) as { metadata: { uid: string } }).metadata.uid;
        };
        const [schema, level] = [await readUid('flowschemas'), await readUid('prioritylevelconfigurations')];
        for (const path of ['/version', '/api/v1/pods', '/api/v1/nothing', '/nowhere']) {
          expect((await ask('GET', path)).headers).toMatchObject({ [schemaHeader]: schema, [levelHeader]: level });
        }
        const log = await ask('GET', '/api/v1/namespaces/default/pods/none/log');
        expect([log.status, Object.hasOwn(log.headers, schemaHeader)]).toEqual([404, false]);
      }
    });

    it.for(['dump_priority_levels', 'dump_queues', 'dump_requests', 'dump_requests?includeRequestDetails=1'])(
      'dumps the same table: %s',
      async (name) => {
        const [own, real] = await askBoth('GET', `${dumps}/${name}`);
        const readRows = (answer?: Answer): string[][] =>
          (answer?.text ?? '').split('\n').map((line) => line.split(/, */));
        expect(readRows(own)[0]).toEqual(readRows(real)[0]);
        expect(own?.headers['content-type']).toBe(real?.headers['content-type']);
        const readWidths = (answer?: Answer): number[] =>
          [...(answer?.text.split('\n')[0] ?? '').matchAll(/, +/g)].map(({ index }) => index);
        // Columns are as wide as what is in them: here names and times.
        if (name !== 'dump_priority_levels') return;
        expect(readWidths(own)).toEqual(readWidths(real));
        const names = (answer?: Answer): Set<string | undefined> => new Set(readRows(answer).map(([first]) => first));
        expect(names(own)).toEqual(names(real));
      },
    );

    it('answers nothing below the dumps', async () => {
      const [own, real] = await askBoth('GET', `${dumps}/`);
      expect([own?.status, own?.text]).toEqual([real?.status, real?.text]);
    });

    it('has the metrics of the real one, with their labels, types and buckets', async () => {
      await askBoth('POST', '/api/v1/namespaces/default/configmaps', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'one' },
      });
      const [own, real] = (await askBoth('GET', '/metrics')).map(({ text }) => readMetricFamilies(text, 'exempt'));
      const missing = [...(real?.keys() ?? [])].filter((name) => own?.has(name) !== true);
      expect(missing).toEqual([]);
      const shared = (families?: MetricFamilies) =>
        Object.fromEntries([...(families ?? [])].filter(([name]) => real?.has(name)));
      expect(shared(own)).toEqual(shared(real));
      expect(Object.keys(shared(real)).length).toBeGreaterThan(20);
    });
  });
});
