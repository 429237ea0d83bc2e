import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { AuditLog } from '../../../platform/audit/audit-log.ts';
import { type AuditPolicy, makeDefaultAuditPolicy } from '../../../platform/audit/audit-policy.ts';
import type { Clock } from '../../../platform/process/clock.ts';
import { StartError } from '../../../platform/process/start-error.ts';
import { AuditMetrics } from './audit-metrics.ts';
import type { AuditServices } from './request-audit.ts';

/** What is recorded of requests, and where. */
export interface AuditConfig {
  /** Absolute path of the log, or `-` for standard output. */
  readonly file: string;
  /** Absolute path of a policy file; `undefined`: writes, and reads of archives, are recorded without their bodies. */
  readonly policyFile: string | undefined;
  readonly maxSizeMegabytes: number;
  /** 0: all are kept. */
  readonly maxBackups: number;
  /** 0: for ever. */
  readonly maxAgeDays: number;
}

async function readPolicy(file: string | undefined, domain: string, logger: Logger): Promise<AuditPolicy> {
  if (file === undefined) return makeDefaultAuditPolicy(domain);
  // Loaded here because what reads YAML takes megabytes.
  const { parseAuditPolicy } = await import('../../../platform/audit/parse-audit-policy.ts');
  const parsed = parseAuditPolicy(await readFile(file, 'utf8'));
  if ('faults' in parsed) throw new StartError(`--audit-policy-file ${file}: ${parsed.faults.join('; ')}`);
  if (parsed.warnings.length > 0) {
    logger.warn({ file, warnings: parsed.warnings }, 'fields of the audit policy mean nothing');
  }
  return parsed.policy;
}

/** Opens the audit log. Throws a StartError for a policy that cannot be read, and system errors for files that cannot be used. */
export async function openAudit(
  config: AuditConfig,
  parts: { readonly domain: string; readonly logger: Logger; readonly clock: Clock; readonly metrics: Registry },
): Promise<AuditServices & { close(): Promise<void> }> {
  const { domain, logger, clock } = parts;
  const policy = await readPolicy(config.policyFile, domain, logger);
  const metrics = new AuditMetrics(parts.metrics);
  const log = await AuditLog.open({ ...config, clock, logger, lost: metrics.lost });
  return { policy, log, metrics, now: () => clock.now(), close: () => log.close() };
}
