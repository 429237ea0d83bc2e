import { StatusError } from '../../../core/errors/status.ts';
import type { Exchange } from '../http/exchange.ts';
import { REQUEST_TIMEOUT_MILLIS } from '../http/request-timeout.ts';
import { planWaitLimitMillis } from './dispatch/plan-wait-limit.ts';
import type { FlowControl } from './flow-control.ts';
import type { FlowPass, PassRefusal } from './flow-pass.ts';
import { isLongRunning } from './is-long-running.ts';
import type { NameAudience } from './name-audience.ts';

/** What letting a request pass needs. */
export interface FlowControlServices {
  readonly flowControl: FlowControl;
  /** Who is told the names of schemas and levels. */
  readonly audience: NameAudience;
  /** Told of a request that begins to wait (1), and ceases to (-1). */
  readonly noteWaiting: (exchange: Exchange, change: 1 | -1) => void;
}

/** How long a request is under way already, and may be in all. */
export interface RequestTimes {
  readonly elapsedMillis: number;
  /** `undefined`: for as long as the client likes. */
  readonly timeoutMillis: number | undefined;
}

const REASONS: Readonly<Record<PassRefusal, string>> = {
  'queue-full': 'the queue of its flow is full',
  'concurrency-limit': 'all seats of the level are taken',
  'time-out': 'it has waited as long as it may',
  cancelled: 'its client has gone',
  'shutting-down': 'the service is shutting down',
};

/**
 * Has a request ask for its seats. Returns nothing when it may go on at once, and a promise when it has to wait, which resolves when it
 * may go on. A refusal is a StatusError (429), thrown or rejected with. `exchange.flow` is then to be ended with the request.
 */
export function passFlowControl(
  services: FlowControlServices,
  exchange: Exchange,
  { elapsedMillis, timeoutMillis }: RequestTimes,
): Promise<void> | undefined {
  const { info, response } = exchange;
  const isWatch = info.verb === 'watch';
  if (!isWatch && isLongRunning(info)) return undefined;
  const waitMillis = planWaitLimitMillis(timeoutMillis, REQUEST_TIMEOUT_MILLIS) - elapsedMillis;
  const pass = services.flowControl.enter(exchange, exchange.query, Math.max(0, waitMillis));
  exchange.flow = pass;
  const { place } = pass;
  response.setHeader('X-Kubernetes-PF-FlowSchema-UID', place.schemaUid);
  response.setHeader('X-Kubernetes-PF-PriorityLevel-UID', place.levelUid);
  if (pass.isWaiting) return waitForSeats(services, exchange, pass);
  if (pass.refusal !== undefined) return refuse(services, exchange, pass, pass.refusal);
  services.flowControl.begin(pass);
  return undefined;
}

async function waitForSeats(services: FlowControlServices, exchange: Exchange, pass: FlowPass): Promise<void> {
  services.noteWaiting(exchange, 1);
  await services.flowControl.waitFor(pass, exchange.response);
  services.noteWaiting(exchange, -1);
  if (exchange.audit !== undefined) {
    exchange.auditAnnotations.set('apiserver.latency.k8s.io/apf-queue-wait', `${pass.waitedMillis.toFixed(3)}ms`);
  }
  if (pass.refusal !== undefined) return refuse(services, exchange, pass, pass.refusal);
  services.flowControl.begin(pass);
}

async function refuse(
  services: FlowControlServices,
  exchange: Exchange,
  { place }: FlowPass,
  refusal: PassRefusal,
): Promise<never> {
  const retryAfterSeconds = services.flowControl.retryAfter.recordDrop(place.level);
  const told = refusal !== 'cancelled' && (await services.audience.includes(exchange.user));
  const general = 'Too many requests, please try again later.';
  const { schema, level } = place;
  const causes = [
    { reason: 'FlowSchema', message: schema },
    { reason: 'PriorityLevelConfiguration', message: level },
    { reason: 'Refusal', message: refusal },
  ];
  throw new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: told ? `${general} Flow schema "${schema}", priority level "${level}": ${REASONS[refusal]}.` : general,
    reason: 'TooManyRequests',
    details: { ...(told ? { causes } : {}), retryAfterSeconds },
    code: 429,
  });
}
