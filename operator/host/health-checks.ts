import { checkServedCertificate } from '../../platform/certificates/check-served-certificate.ts';
import type { HostConnection } from '../../platform/kube/host-connection.ts';
import type { HealthCheck } from '../../platform/process/health-check.ts';

const TIMEOUT_MILLIS = 3_000;

/** Whether the host's API server answers this program: without it the API service is of no use, though restarting would not help. */
export function createHostCheck(connection: HostConnection): HealthCheck {
  return {
    name: 'host',
    readinessOnly: true,
    check: async () => {
      try {
        const answer = await connection.send({ method: 'GET', path: '/version', timeoutMillis: TIMEOUT_MILLIS });
        answer.body.resume();
        return answer.status === 200 ? undefined : `the host answers ${answer.status}`;
      } catch (error) {
        return `the host does not answer: ${String(error)}`;
      }
    },
  };
}

export interface ServingCheckOptions {
  /** What the program listens on. */
  readonly address: string;
  /** Ports that it listens on by now; read anew each time. */
  readonly ports: readonly number[];
  /** Name by which clients know it. */
  readonly serverName: string;
  /** Authorities that clients are told to trust; `undefined` while nobody knows. */
  readonly bundle: () => string | undefined;
}

function findLocalAddress(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  return address === '::' ? '::1' : address;
}

/** Whether what every port really serves is what its clients trust. */
export function createServingCheck({ address, ports, serverName, bundle }: ServingCheckOptions): HealthCheck {
  return {
    name: 'serving',
    readinessOnly: true,
    check: async () => {
      const trusted = bundle();
      if (ports.length === 0 || trusted === undefined) return 'waiting for a certificate';
      for (const port of ports) {
        const question = { address: findLocalAddress(address), port, serverName, bundle: trusted };
        const fault = await checkServedCertificate(question);
        if (fault !== undefined) return `port ${port}: ${fault}`;
      }
      return undefined;
    },
  };
}
