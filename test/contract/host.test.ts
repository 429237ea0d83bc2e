import { afterAll, beforeAll, describe } from 'vitest';

import { policyKinds } from '../../kinds/registry.ts';
import { describeCluster } from '../cluster/describe-cluster.ts';
import { startCluster } from '../cluster/start-cluster.ts';
import type { Cluster } from '../cluster/start-cluster.ts';
import { installCrds } from '../crds/install-crds.ts';
import { startService } from '../service/start-service.ts';
import type { Service } from '../service/start-service.ts';
import { hostConditions } from '../spec/settle-status.ts';
import type { ContractDifference } from './contract-case.ts';
import { walkEndpoints } from './walk-endpoints.ts';
import { walkRules } from './walk-rules.ts';

const domain = 'contract.example';

/** What a host judges otherwise since a definition cannot say it; the kinds name it. Defaults are filled in by the API service. */
const definitionDifferences: readonly ContractDifference[] = policyKinds.flatMap(({ crd }) =>
  (crd?.exceptions ?? [])
    .filter(({ effect }) => effect !== 'not-defaulted')
    .map(({ rule, reason }) => ({ subject: new RegExp(`^${RegExp.escape(rule)}$`), name: /^/, reason })),
);

describeCluster('the contract of the API service, before a host', () => {
  let cluster: Cluster;
  let service: Service;

  beforeAll(async () => {
    cluster = await startCluster({
      apiServerFlags: ['--disable-admission-plugins=ResourceQuota,LimitRanger,ServiceAccount'],
    });
    await installCrds(cluster, domain);
    service = await startService({ domain, flags: ['--store', 'crds', '--kubeconfig', cluster.kubeconfig] });
    for (const name of ['walk', 'rules']) {
      await service.request('POST', '/api/v1/namespaces', { body: { metadata: { name } } });
    }
  });
  afterAll(async () => {
    await service?.stop();
    await cluster?.stop();
  });

  const request: Service['request'] = (...words) => service.request(...words);
  const open: Service['open'] = (...words) => service.open(...words);

  describe('the endpoint tables of the specification', () => {
    walkEndpoints({ domain, request, open, differences: [], written: hostConditions });
  });

  describe('the rules of the specification', () => {
    walkRules({ domain, request, open, differences: definitionDifferences, written: hostConditions }, 'own');
  });
});
