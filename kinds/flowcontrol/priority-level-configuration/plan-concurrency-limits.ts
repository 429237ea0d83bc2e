import type { PriorityLevelConfiguration } from './schema.ts';

/** Seats of a level, by its configuration and those of all others. */
export interface ConcurrencyLimits {
  /** What the level may use when all use theirs ("NominalCL"). */
  readonly nominal: number;
  /** What of it others may borrow ("LendableCL"). */
  readonly lendable: number;
  /** What it may borrow from others ("BorrowingCL"). */
  readonly borrowing: number;
  /** What is left to it when everything is lent. */
  readonly min: number;
  /** The most it may use. */
  readonly max: number;
  /** What a new level begins with. */
  readonly initial: number;
  /** The most seats that one request may take; `undefined` without queues: then no request is narrowed for the level. */
  readonly maxSeatsPerRequest: number | undefined;
}

/** The part of a level's seats that one request may take, where hands are small. */
const maxSeatsFraction = 0.15;

interface Shares {
  readonly shares: number;
  readonly lendablePercent: number;
  /** `undefined`: as much as there is. */
  readonly borrowingLimitPercent: number | undefined;
}

function readShares({ spec: { limited, exempt } }: PriorityLevelConfiguration): Shares {
  const shares = (limited ?? exempt)?.nominalConcurrencyShares ?? 0;
  const lendablePercent = (limited ?? exempt)?.lendablePercent ?? 0;
  return { shares, lendablePercent, borrowingLimitPercent: limited?.borrowingLimitPercent };
}

function findMaxSeats({ spec }: PriorityLevelConfiguration, nominal: number): number | undefined {
  const queuing = spec.limited?.limitResponse.queuing;
  if (queuing === undefined) return undefined;
  return Math.max(1, Math.min(Math.ceil(nominal * maxSeatsFraction), Math.trunc(nominal / queuing.handSize)));
}

function planLimits(level: PriorityLevelConfiguration, totalSeats: number, shareSum: number): ConcurrencyLimits {
  const { shares, lendablePercent, borrowingLimitPercent } = readShares(level);
  // Rounded up, so that every level with a share has a seat; the sum is a little above the total.
  const nominal = shareSum === 0 ? 0 : Math.ceil((totalSeats * shares) / shareSum);
  const lendable = Math.round((nominal * lendablePercent) / 100);
  const borrowing =
    borrowingLimitPercent === undefined ? totalSeats : Math.round((nominal * borrowingLimitPercent) / 100);
  return {
    ...{ nominal, lendable, borrowing, min: nominal - lendable, max: nominal + borrowing },
    initial: nominal - Math.trunc(lendable / 2),
    maxSeatsPerRequest: findMaxSeats(level, nominal),
  };
}

/**
 * The seats of each level, in the order of `levels`: `totalSeats` divided by their shares. Levels that are given up but still busy have
 * theirs too, so that they drain.
 */
export function planConcurrencyLimits(
  levels: readonly PriorityLevelConfiguration[],
  totalSeats: number,
): ConcurrencyLimits[] {
  const shareSum = levels.reduce((sum, level) => sum + readShares(level).shares, 0);
  return levels.map((level) => planLimits(level, totalSeats, shareSum));
}
