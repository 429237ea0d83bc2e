import { fetchServedCertificate } from '../../../platform/certificates/check-served-certificate.ts';
import type { ServedFacts } from '../../../platform/certificates/certificate-facts.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type { ResourceName } from '../../../core/meta/resource-name.ts';
import type { Logger } from '../../../platform/process/logger.ts';
import type { ResourceClient } from '../../../platform/resources/resource-client.ts';

interface EndpointSliceObject extends KubeObject {
  endpoints?: { addresses?: string[]; conditions?: { ready?: boolean; serving?: boolean } }[];
  ports?: { name?: string; port?: number }[];
}

const endpointSlices: ResourceName = { group: 'discovery.k8s.io', version: 'v1', resource: 'endpointslices' };
/** Ports of a Service that serve its certificate. */
const servingPorts = new Set(['https', 'aggregated']);

/** Asks every replica behind the Services which certificate it really serves. One that takes no calls is left out; one that does not answer is unknown. */
export async function probeServedCertificates(options: {
  readonly client: ResourceClient;
  readonly logger: Logger;
  readonly namespace: string;
  readonly services: readonly string[];
}): Promise<ServedFacts[]> {
  const { client, logger, namespace, services } = options;
  const questions: Promise<ServedFacts>[] = [];
  for (const service of services) {
    const labelSelector = `kubernetes.io/service-name=${service}`;
    const slices = await client.list<EndpointSliceObject>({ resource: endpointSlices, namespace }, { labelSelector });
    for (const { endpoints = [], ports = [] } of slices.items) {
      const called = endpoints.filter(({ conditions }) => conditions?.ready !== false || conditions.serving === true);
      for (const [address] of called.map((endpoint) => endpoint.addresses ?? [])) {
        for (const { name, port } of ports) {
          if (address === undefined || port === undefined || !servingPorts.has(name ?? '')) continue;
          const serverName = `${service}.${namespace}.svc`;
          questions.push(
            fetchServedCertificate({ address, port, serverName }).then(
              (certificate) => ({ certificate }),
              (error: unknown) => {
                logger.warn({ service, address, port, err: error }, 'a replica did not show its certificate');
                return {};
              },
            ),
          );
        }
      }
    }
  }
  return Promise.all(questions);
}
