import { it } from 'vitest';

import type { Service } from '../service/start-service.ts';
import type { WrittenConditions } from '../spec/settle-status.ts';

/** A point of the contract that a subject meets otherwise, and why that is right or cannot be helped. */
export interface ContractDifference {
  /** What the case is about: `ResourceQuota update`, or the name of a rule. */
  readonly subject: RegExp;
  /** Name of the case. */
  readonly name: RegExp;
  readonly reason: string;
}

/** An API service that the contract is held against, in whatever way it runs. */
export interface ContractSubject {
  readonly domain: string;
  readonly request: Service['request'];
  readonly open: Service['open'];
  /** Conditions that controllers write there; absent: those of the embedded service. */
  readonly written?: WrittenConditions;
  /** Cases that must fail here: one that passes is a difference that is no more. */
  readonly differences: readonly ContractDifference[];
}

/** A case of the contract: it passes at a subject, unless the subject is known to differ. */
export function checkContract(subject: ContractSubject, about: string, name: string, run: () => Promise<void>): void {
  const difference = subject.differences.find((one) => one.subject.test(about) && one.name.test(name));
  if (difference === undefined) it(name, run);
  else it.fails(`differs: ${name} (${difference.reason})`, run);
}
