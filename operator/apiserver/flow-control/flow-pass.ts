import type { ServerResponse } from 'node:http';
import type { UserInfo } from '../../../core/meta/user-info.ts';
import type { RequestInfo } from '../request-info.ts';
import type { FlowRequest, RefusalReason, RequestWidth } from './dispatch/flow-request.ts';
import type { Ticket } from './dispatch/ticket.ts';
import type { FlowPlace } from './flow-place.ts';
import type { RequestGauge } from './request-gauge.ts';

/** What dumps say of a request beside its place in the queues. */
export interface FlowDetails {
  readonly user: UserInfo;
  readonly info: RequestInfo;
  readonly auditId: string;
}

/** Why a request that asked for seats is not served. */
export type PassRefusal =
  | RefusalReason
  /** It waited when the service began to shut down. */
  | 'shutting-down';

/** One request under flow control, from when it asks for seats until it has given them back. */
export class FlowPass implements FlowRequest<FlowDetails> {
  readonly place: FlowPlace;
  readonly distinguisher: string;
  readonly width: RequestWidth;
  readonly type: 'regular' | 'watch';
  readonly waitMillis: number;
  readonly details: FlowDetails;
  /** How long it has waited, in milliseconds; 0 when it did not have to. */
  waitedMillis = 0;
  /** Why it is not served; `undefined` while that is open, and when it is. */
  refusal: PassRefusal | undefined;
  #ticket: Ticket<FlowDetails> | undefined;
  #settle: (() => void) | undefined;
  /** Counts it while it is served. */
  #gauge: RequestGauge | undefined;
  /** What ends with the request and not with its seats. */
  #forget: (() => void) | undefined;

  constructor(options: {
    readonly place: FlowPlace;
    readonly distinguisher: string;
    readonly width: RequestWidth;
    readonly type: 'regular' | 'watch';
    readonly waitMillis: number;
    readonly details: FlowDetails;
  }) {
    this.place = options.place;
    this.distinguisher = options.distinguisher;
    this.width = options.width;
    this.type = options.type;
    this.waitMillis = options.waitMillis;
    this.details = options.details;
  }

  get level(): string {
    return this.place.level;
  }

  get schema(): string {
    return this.place.schema;
  }

  /** Whether it waits for its seats. */
  get isWaiting(): boolean {
    return this.#ticket?.state === 'waiting';
  }

  /** For who has started it. */
  hold(ticket: Ticket<FlowDetails>): void {
    this.#ticket = ticket;
    if (ticket.state === 'rejected') this.refusal = ticket.refusal;
  }

  /** For the dispatcher. */
  decide(refusal: RefusalReason | undefined): void {
    this.refusal = refusal;
    this.#settle?.();
  }

  /** Has it leave its queue and never be served; does nothing when it does not wait. */
  leave(refusal: PassRefusal): void {
    if (!this.isWaiting) return;
    this.#ticket?.finish();
    this.refusal = refusal;
    this.#settle?.();
  }

  /** Resolves when it is decided whether it is served, or when its client has gone and it has left its queue. Never rejects. */
  async waitForDecision(response: ServerResponse): Promise<void> {
    const begunMillis = performance.now();
    const leave = (): void => this.leave('cancelled');
    await new Promise<void>((resolve) => {
      this.#settle = resolve;
      response.once('close', leave);
      if (!this.isWaiting) resolve();
      else if (response.destroyed) leave();
    });
    response.off('close', leave);
    this.#settle = undefined;
    this.waitedMillis = performance.now() - begunMillis;
  }

  /** Runs when the request ends, which may be long after it has given its seats back. */
  onEnd(forget: () => void): void {
    this.#forget = forget;
  }

  /** Counts it from here on, until it gives its seats back. */
  begin(gauge: RequestGauge): void {
    this.#gauge = gauge;
    gauge.change(1);
  }

  /** Gives the seats back; may be called again. A watch does it as soon as it has begun. */
  release(): void {
    this.#gauge?.change(-1);
    this.#gauge = undefined;
    this.#ticket?.finish();
  }

  /** Ends it: its seats are given back, if that has not been done. */
  end(): void {
    this.release();
    this.#forget?.();
    this.#forget = undefined;
  }
}
