import type { HostConnection } from '../../../platform/kube/host-connection.ts';
import { HostDiscovery } from '../../../platform/kube/host-discovery.ts';
import type { Controller } from '../controller-parts.ts';
import { HostQuotaController, type HostQuotaControllerOptions } from './host-quota-controller.ts';

/** What counting quotas at a host needs. */
export interface HostQuotaOptions extends Omit<HostQuotaControllerOptions, 'discovery'> {
  readonly connection: HostConnection;
}

/** The quota controller of a host, with the discovery that it follows: one for each term of leading. */
export function buildHostQuota(options: HostQuotaOptions): Controller {
  const { connection, client, clock, logger } = options;
  const discovery = new HostDiscovery({ connection, client, clock, logger });
  let controller: HostQuotaController | undefined;
  let isClosed = false;
  return {
    async start() {
      await discovery.start();
      if (isClosed) return;
      controller = new HostQuotaController({ ...options, discovery });
      await controller.start();
    },
    async close() {
      isClosed = true;
      await controller?.close();
      await discovery.close();
    },
  };
}
