import type { Controller } from '../controller-parts.ts';
import { HostSchemas, type HostSchemasOptions } from './host-schemas.ts';
import { TypeCheckingController } from './type-checking-controller.ts';

/** What checking policies on a host needs. */
export interface HostTypeCheckingOptions extends HostSchemasOptions {
  readonly domain: string;
}

/** Checks policies against the types of what a host serves. Of several replicas only the leader runs it. */
export function buildHostTypeChecking(options: HostTypeCheckingOptions): Controller {
  const schemas = new HostSchemas(options);
  const controller = new TypeCheckingController({ ...options, schemas });
  return {
    start: () => controller.start(),
    close: async () => {
      await controller.close();
      await schemas.close();
    },
  };
}
