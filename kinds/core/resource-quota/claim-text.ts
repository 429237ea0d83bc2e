import { isQuantityFault, parseQuantity } from '../../../core/quantity/quantity.ts';
import { formatUsage, type Usage } from './usage.ts';

/** What a write that has been let through may make one object use, until it is known how the write ended. */
export interface Claim {
  /** Of the object. */
  readonly uid: string;
  /** `pods`, `deployments.apps`. */
  readonly resource: string;
  /** What the object may use, in all, of each resource that the write makes it use more of. */
  readonly usage: Usage;
  /** How much of `used` is there on account of this claim, beside what was counted of the object. */
  readonly charge: Usage;
  /** Whether the write creates the object, so that nothing of it was counted before. */
  readonly isNew: boolean;
  /** Newest resourceVersion of the object that one of the writes was made on; absent when the object was new for all of them. */
  readonly version?: string;
  /** Whether writes on several versions are in it, so that `used` may not hold all of `usage` on top of `version`; absent means no. */
  readonly mixed?: boolean;
  /** When it was made, by the maker's clock: only ever compared for equality, to tell a repeated claim from the one before. */
  readonly since: string;
}

function parseUsage(text: string): Usage | undefined {
  const usage = new Map();
  if (text === '') return usage;
  for (const entry of text.split(',')) {
    const [name = '', amount = ''] = entry.split('=');
    const quantity = parseQuantity(amount);
    if (isQuantityFault(quantity)) return undefined;
    usage.set(name, quantity);
  }
  return usage;
}

/**
 * A claim as it is stored: `UID RESOURCE USAGE since=TIME`, and for an update ` charge=USAGE version=V`, and ` mixed`; a usage is
 * `cpu=1,pods=2`. A text of its own each, since a host checks structured claims twenty times slower, with every write of every claim.
 */
export function formatClaim({ uid, resource, usage, charge, isNew, version, mixed, since }: Claim): string {
  const words = [uid, resource, formatUsage(usage), `since=${since}`];
  if (!isNew) words.push(`charge=${formatUsage(charge)}`);
  if (version !== undefined) words.push(`version=${version}`);
  if (mixed === true) words.push('mixed');
  return words.join(' ');
}

/** Reads such a text; `undefined` for one that this program has not written. */
export function parseClaim(text: string): Claim | undefined {
  const [uid = '', resource = '', usageText = '', ...rest] = text.split(' ');
  const members = new Map(
    rest.map((word): [string, string] => [word.split('=', 1)[0] ?? '', word.slice(word.indexOf('=') + 1)]),
  );
  const usage = parseUsage(usageText);
  const charge = members.has('charge') ? parseUsage(members.get('charge') ?? '') : usage;
  const since = members.get('since');
  if (uid === '' || usage === undefined || charge === undefined || since === undefined) return undefined;
  const version = members.get('version');
  return {
    ...{ uid, resource, usage, charge, since, isNew: !members.has('charge') },
    ...(version === undefined ? {} : { version }),
    ...(members.has('mixed') ? { mixed: true } : {}),
  };
}
