import { Counter } from 'prom-client';
import { AuditLog } from '../../platform/audit/audit-log.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { Logger } from '../../platform/process/logger.ts';
import type { Registry } from '../../platform/process/metrics.ts';
import { StartError } from '../../platform/process/start-error.ts';
import type { ReviewRoute } from '../review/decide-review.ts';
import type { AuditLogConfig } from '../webhooks-flags.ts';
import { makeReviewEvent } from './record-annotations.ts';

/** A log of the audit annotations of reviews. */
export interface ReviewAudit {
  readonly record: NonNullable<ReviewRoute['recordAnnotations']>;
  close(): Promise<void>;
}

/** Opens the log; `undefined` when nothing is to be recorded. Throws a StartError for a file that cannot be used. */
export async function openReviewAudit(
  config: AuditLogConfig | undefined,
  { clock, logger, metrics }: { readonly clock: Clock; readonly logger: Logger; readonly metrics: Registry },
): Promise<ReviewAudit | undefined> {
  if (config === undefined) return undefined;
  const lost = new Counter({
    name: 'apiserver_audit_error_total',
    help: 'Audit events that were lost, by the plugin that was to record them.',
    labelNames: ['plugin'],
    registers: [metrics],
  });
  try {
    const log = await AuditLog.open({ ...config, clock, logger, lost });
    return {
      record: (request, decision) => log.write(makeReviewEvent(request, decision, clock.now())),
      close: () => log.close(),
    };
  } catch (error) {
    throw new StartError(`--audit-log-path ${config.file}: ${(error as Error).message}`, { cause: error });
  }
}
