/** Queues of a level whose requests may wait. */
export interface QueuingSettings {
  readonly queues: number;
  /** How many of the queues one flow may use; at most `queues`. */
  readonly handSize: number;
  /** How many requests may wait in one queue. */
  readonly queueLengthLimit: number;
}

/** What a level's object prescribes, defaults applied. */
export interface LevelSettings {
  readonly name: string;
  /** Requests of an exempt level never wait and are never refused; they are counted. */
  readonly exempt: boolean;
  /** Absent: requests beyond the limit are refused at once. Ignored for an exempt level. */
  readonly queuing?: QueuingSettings;
  readonly nominalConcurrencyShares: number;
  readonly lendablePercent: number;
  /** Absent: the level may borrow as much as there is. */
  readonly borrowingLimitPercent?: number;
}

/** Seats of a level by its share of the server's. */
export interface LevelLimits {
  readonly nominalSeats: number;
  /** What remains when all that may be lent is lent. */
  readonly minSeats: number;
  /** What the level has with all that it may borrow. */
  readonly maxSeats: number;
}
