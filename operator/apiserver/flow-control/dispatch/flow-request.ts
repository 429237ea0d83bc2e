/** How many seats a request holds, and how long. */
export interface RequestWidth {
  /** Seats while it is served. */
  readonly initialSeats: number;
  /** Seats that it holds for `additionalLatencyMillis` after its end, for the work that it leaves behind; 0 for none. */
  readonly finalSeats: number;
  readonly additionalLatencyMillis: number;
}

/** Why a request is not served. */
export type RefusalReason =
  /** Its queue is full. */
  | 'queue-full'
  /** All seats of a level without queues are taken. */
  | 'concurrency-limit'
  /** It waited as long as it may. */
  | 'time-out'
  /** Whoever asked went away while it waited. */
  | 'cancelled';

/** A request that asks for seats. `Details` is what the caller wants to find again in dumps. */
export interface FlowRequest<Details> {
  readonly level: string;
  readonly schema: string;
  /** What tells the flow from others of its schema; empty for none. */
  readonly distinguisher: string;
  readonly width: RequestWidth;
  /** Watches hold their seats only until they have begun. */
  readonly type: 'regular' | 'watch';
  /** How long it may wait in a queue, from now. */
  readonly waitMillis: number;
  readonly details: Details;
  /**
   * Called once, later, and only when the request had to wait: with undefined when it is to be served now, or with the reason why it never
   * will.
   */
  readonly decide: (refusal: RefusalReason | undefined) => void;
}
