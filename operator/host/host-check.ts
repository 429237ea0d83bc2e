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
