import { encodeJson } from '../../../core/decode/encode-json.ts';
import { parseJson } from '../../../core/decode/parse-json.ts';
import type { Status } from '../../../core/errors/status.ts';
import { isJsonObject, type JsonValue } from '../../../core/meta/json.ts';
import type { UserInfo } from '../../../core/meta/user-info.ts';
import { formatMicroTime } from '../../../core/time/time.ts';
import type { AuditEvent, AuditLevel, AuditStage } from '../../../platform/audit/audit-event.ts';
import { type AuditDecision, planAuditLevel } from '../../../platform/audit/plan-audit-level.ts';
import type { AuditLog } from '../../../platform/audit/audit-log.ts';
import type { AuditPolicy } from '../../../platform/audit/audit-policy.ts';
import type { AuditMetrics } from './audit-metrics.ts';
import {
  type AuditedExchange,
  describeObject,
  describeUser,
  hideCredentials,
  listSourceAddresses,
  readAuditedUserAgent,
} from './describe-request.ts';

/** What recording requests needs. */
export interface AuditServices {
  readonly policy: AuditPolicy;
  readonly log: Pick<AuditLog, 'write'>;
  readonly metrics: AuditMetrics;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

const ranks: Readonly<Record<AuditLevel, number>> = { None: 0, Metadata: 1, Request: 2, RequestResponse: 3 };

/** Larger bodies are left out: to put one on record must not hold up anybody. */
const maxBodyBytes = 1 << 20;
const truncatedKey = 'audit.k8s.io/truncated';

/** An encoded object, printed only when it is to be recorded. */
export interface EncodedAnswer {
  readonly bytes: number;
  print(): string;
}

const answeredEarly = { metadata: {}, status: 'Success', message: 'Connection closed early', code: 200 } as const;

function dropManagers(object: unknown): void {
  if (!isJsonObject(object) || !isJsonObject(object['metadata'])) return;
  delete object['metadata']['managedFields'];
}

/** An object, a list or a Table as JSON, without its records of managers. */
function encodeWithoutManagers(text: string): string {
  const parsed = parseJson(Buffer.from(text));
  if ('fault' in parsed || !isJsonObject(parsed.value)) return text;
  const { value } = parsed;
  dropManagers(value);
  const { items, rows } = value;
  if (Array.isArray(items)) items.forEach(dropManagers);
  if (Array.isArray(rows)) for (const row of rows) dropManagers(isJsonObject(row) ? row['object'] : undefined);
  return encodeJson(value);
}

/** What is recorded of one request. Each method adds what is known by then; bodies are kept only where the level asks for them. */
export class RequestAudit {
  readonly #services: AuditServices;
  readonly #exchange: AuditedExchange;
  readonly #decision: AuditDecision;
  readonly #receivedMillis: number;
  #isTruncated = false;
  #event: Omit<AuditEvent, 'stage' | 'stageTimestamp'>;

  private constructor(
    services: AuditServices,
    exchange: AuditedExchange,
    decision: AuditDecision,
    user: UserInfo | undefined,
    receivedMillis: number,
  ) {
    const { request, info, auditId } = exchange;
    this.#services = services;
    this.#exchange = exchange;
    this.#decision = decision;
    this.#receivedMillis = receivedMillis;
    const userAgent = readAuditedUserAgent(request);
    this.#event = {
      level: decision.level,
      auditID: auditId,
      requestURI: hideCredentials(request.url ?? ''),
      verb: info.verb,
      user: user === undefined ? {} : describeUser(user),
      sourceIPs: listSourceAddresses(request),
      ...(userAgent === undefined ? {} : { userAgent }),
      objectRef: describeObject(info),
      requestReceivedTimestamp: formatMicroTime(receivedMillis),
    };
  }

  /**
   * Begins the record of a request, which ends with its answer; `undefined` when the policy has nothing recorded of it. Without a user its
   * credentials are refused: then there is the answer's beginning alone.
   */
  static begin(
    services: AuditServices,
    exchange: AuditedExchange,
    user: UserInfo | undefined,
    receivedMillis: number,
  ): RequestAudit | undefined {
    const decision = planAuditLevel(services.policy, { ...exchange.info, user });
    services.metrics.levels.inc({ level: decision.level });
    if (decision.level === 'None') return undefined;
    const audit = new RequestAudit(services, exchange, decision, user, receivedMillis);
    if (user !== undefined) audit.#write('RequestReceived', receivedMillis);
    const end = (): void => audit.#complete(user === undefined ? 'ResponseStarted' : 'ResponseComplete');
    const { response } = exchange;
    if (response.closed) end();
    else response.once('close', end);
    return audit;
  }

  /** Whether the answer's object is to be recorded. */
  get wantsResponse(): boolean {
    return this.#wants('RequestResponse');
  }

  /** Says whom the request acts as. */
  recordImpersonation(user: UserInfo): void {
    this.#event = { ...this.#event, impersonatedUser: describeUser(user) };
  }

  /** Keeps the decoded body, as it is now; its metadata completes what the path does not tell. */
  recordRequest(object: object): void {
    this.#completeReference(object as JsonValue);
    if (this.#wants('Request')) this.#keepRequest(encodeJson(object));
  }

  /** Keeps a patch. */
  recordPatch(patch: JsonValue): void {
    if (this.#wants('Request')) this.#keepRequest(encodeJson(patch));
  }

  /** Keeps what is answered: a Status at every level, an object's JSON where the level asks for it. */
  recordResponse(answer: { readonly status?: Status; readonly json?: EncodedAnswer }): void {
    if (this.#exchange.response.headersSent) return;
    const { status, json } = answer;
    if (status !== undefined) {
      const { message, reason, details } = status;
      const responseStatus = {
        metadata: {},
        ...(status.status === undefined ? {} : { status: status.status }),
        ...(message === undefined ? {} : { message }),
        ...(reason === undefined ? {} : { reason }),
        ...(details === undefined ? {} : { details }),
      };
      this.#event = { ...this.#event, responseStatus };
    }
    if (json === undefined || !this.wantsResponse) return;
    if (json.bytes > maxBodyBytes) {
      this.#isTruncated = true;
      return;
    }
    const text = json.print().trimEnd();
    const responseObject = this.#decision.omitManagedFields ? encodeWithoutManagers(text) : text;
    this.#event = { ...this.#event, responseObject };
  }

  /** Records that an answer has begun that goes on for long. */
  recordStart(): void {
    this.#noteCode();
    this.#write('ResponseStarted', this.#services.now());
  }

  #wants(level: AuditLevel): boolean {
    return ranks[this.#decision.level] >= ranks[level];
  }

  #keepRequest(text: string): void {
    if (text.length > maxBodyBytes) {
      this.#isTruncated = true;
      return;
    }
    const requestObject = this.#decision.omitManagedFields ? encodeWithoutManagers(text) : text;
    this.#event = { ...this.#event, requestObject };
  }

  #completeReference(object: JsonValue): void {
    const { objectRef } = this.#event;
    if (objectRef === undefined || !isJsonObject(object) || !isJsonObject(object['metadata'])) return;
    for (const field of ['namespace', 'name', 'uid', 'resourceVersion'] as const) {
      const value = object['metadata'][field];
      if (objectRef[field] === undefined && typeof value === 'string' && value !== '') objectRef[field] = value;
    }
  }

  #noteCode(): void {
    const { response } = this.#exchange;
    const known = this.#event.responseStatus ?? { metadata: {} };
    const responseStatus = response.headersSent ? { ...known, code: response.statusCode } : answeredEarly;
    this.#event = { ...this.#event, responseStatus };
  }

  #complete(stage: AuditStage): void {
    this.#noteCode();
    this.#write(stage, this.#services.now());
  }

  #write(stage: AuditStage, atMillis: number): void {
    if (this.#decision.omitStages.includes(stage)) return;
    const annotations = Object.fromEntries(this.#exchange.auditAnnotations);
    if (this.#isTruncated) annotations[truncatedKey] = 'true';
    this.#services.metrics.events.inc();
    this.#services.log.write({
      ...this.#event,
      stage,
      stageTimestamp: formatMicroTime(Math.max(atMillis, this.#receivedMillis)),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    });
  }
}
