import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import type { Clock } from '../process/clock.ts';
import type { Logger } from '../process/logger.ts';
import type { HostCredentials, HostCredentialSource } from './host-credentials.ts';

/** Where a pod finds its service account's files. */
export const serviceAccountFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The kubelet renews the token long before its end; client-go reads it as often. */
const rereadMillis = 60_000;
/** How often at most, when the host keeps refusing what was read. */
const refusedMillis = 1_000;

/** What the credentials of a pod are read from. */
export interface InClusterOptions {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly logger: Logger;
}

function findServer(environment: InClusterOptions['environment']): string {
  const host = environment['KUBERNETES_SERVICE_HOST'] ?? '';
  const port = environment['KUBERNETES_SERVICE_PORT'] ?? '';
  if (host === '' || port === '') {
    throw new Error(
      'no kubeconfig is given, and this is no pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set',
    );
  }
  return `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** The service account's token and authority, read again every minute. Throws outside a pod, and when a file cannot be read. */
export async function readInClusterCredentials(options: InClusterOptions): Promise<HostCredentialSource> {
  const { clock, folder, logger } = options;
  const server = findServer(options.environment);
  const load = async (): Promise<HostCredentials> => {
    const [ca, token] = await Promise.all([
      readFile(join(folder, 'ca.crt'), 'utf8'),
      readFile(join(folder, 'token'), 'utf8'),
    ]);
    if (token.trim() === '') throw new Error('the token file of the service account is empty');
    return { tls: { ca }, headers: { authorization: `Bearer ${token.trim()}` } };
  };
  let current: HostCredentials;
  try {
    current = await load();
  } catch (error) {
    throw new Error('the files of the service account cannot be read', { cause: error });
  }
  let readMillis = clock.now();
  let loading: Promise<void> | undefined;
  const renew = async (): Promise<void> => {
    try {
      current = await load();
    } catch (error) {
      // What was read last is good until it expires, and a file may be missing for the moment of its exchange.
      logger.warn({ err: error }, 'the files of the service account could not be read again');
    } finally {
      readMillis = clock.now();
      loading = undefined;
    }
  };
  return {
    server,
    async read() {
      if (clock.now() - readMillis >= rereadMillis) {
        loading ??= renew();
        await loading;
      }
      return current;
    },
    invalidate() {
      if (clock.now() - readMillis >= refusedMillis) readMillis = Number.NEGATIVE_INFINITY;
    },
  };
}
