import type { Service } from '../service/start-service.ts';

/** Creates what upstream's program looks up before anything else, whatever it is going to test. */
export async function createKubernetesService(service: Service): Promise<void> {
  const { status, text } = await service.request('POST', '/api/v1/namespaces/default/services', {
    body: {
      metadata: { name: 'kubernetes' },
      spec: { clusterIP: '10.96.0.1', clusterIPs: ['10.96.0.1'], ports: [{ port: 443, protocol: 'TCP' }] },
    },
  });
  if (status !== 201) throw new Error(`the service was not created: ${text}`);
}
