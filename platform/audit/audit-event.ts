import { encodeJson } from '../../core/decode/encode-json.ts';
import type { Status } from '../../core/errors/status.ts';

/** How much of a request is recorded, from nothing to both bodies. */
export const auditLevels = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;

export type AuditLevel = (typeof auditLevels)[number];

/** When a request is recorded: as it comes in, when a long answer begins, when it has been answered, when serving it failed. */
export const auditStages = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;

export type AuditStage = (typeof auditStages)[number];

/** Who made a request, in the form of an event. */
export interface AuditedUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What a request is about; whatever is unknown is absent. */
export interface AuditedObject {
  resource?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  apiGroup?: string;
  apiVersion?: string;
  resourceVersion?: string;
  subresource?: string;
}

/** One event of Kubernetes' `audit.k8s.io/v1`; times are in its notation, objects are JSON texts. */
export interface AuditEvent {
  readonly level: AuditLevel;
  readonly auditID: string;
  readonly stage: AuditStage;
  readonly requestURI: string;
  readonly verb: string;
  readonly user: AuditedUser;
  readonly impersonatedUser?: AuditedUser | undefined;
  readonly sourceIPs?: readonly string[];
  readonly userAgent?: string;
  readonly objectRef?: AuditedObject | undefined;
  readonly responseStatus?: Partial<Status> | undefined;
  readonly requestObject?: string | undefined;
  readonly responseObject?: string | undefined;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

const encodedFields: ReadonlySet<string> = new Set(['requestObject', 'responseObject']);

/** The event as one line of JSON, with its line break. */
export function formatAuditEvent(event: AuditEvent): string {
  let line = '{"kind":"Event","apiVersion":"audit.k8s.io/v1"';
  for (const [field, value] of Object.entries(event)) {
    if (value === undefined) continue;
    line += `,"${field}":${encodedFields.has(field) ? (value as string) : encodeJson(value)}`;
  }
  return `${line}}\n`;
}
