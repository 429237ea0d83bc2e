/** What is known of the certificate that the agent was issued. */
export interface IssuedFacts {
  readonly notBeforeMillis: number;
  readonly notAfterMillis: number;
  /** DNS names and IP addresses, in their canonical spelling. */
  readonly names: ReadonlySet<string>;
}

/** Everything that the plan of renewal looks at. */
export interface RenewalFacts {
  /** `undefined`: none was issued yet, or it cannot be used. */
  readonly issued: IssuedFacts | undefined;
  /** Whether the operator trusts what it leads to; `undefined`: that is not known. */
  readonly isTrusted: boolean | undefined;
  /** In their canonical spelling. */
  readonly wantedNames: readonly string[];
  readonly nowMillis: number;
  /** From 0 to 1, the same for the life of one certificate: so that nodes that began together do not ask together. */
  readonly spread: number;
}

/** When to ask for another certificate, and why. */
export interface RenewalPlan {
  readonly atMillis: number;
  readonly reason: string;
}

/** Part of a certificate's life after which the next is asked for, and how much later at most. */
const earliestPart = 0.7;
const spreadPart = 0.2;

/** Decides when the agent asks for its next serving certificate: at once without a fitting one, else well before it ends. */
export function planRenewal({ issued, isTrusted, wantedNames, nowMillis, spread }: RenewalFacts): RenewalPlan {
  if (issued === undefined) return { atMillis: nowMillis, reason: 'none was issued yet' };
  if (isTrusted === false) return { atMillis: nowMillis, reason: 'its authority is trusted no more' };
  const missing = wantedNames.filter((name) => !issued.names.has(name));
  if (missing.length > 0) return { atMillis: nowMillis, reason: `it is not for ${missing.join(', ')}` };
  const lifeMillis = issued.notAfterMillis - issued.notBeforeMillis;
  const dueMillis = issued.notBeforeMillis + lifeMillis * (earliestPart + spreadPart * spread);
  return { atMillis: Math.max(nowMillis, dueMillis), reason: 'it nears its end' };
}
