import { checkDns1123Subdomain } from '../../core/validation/names.ts';
import type { ValidatingAdmissionPolicy } from '../../kinds/admissionregistration/validating-admission-policy/schema.ts';

/**
 * Policies that one call of a host can judge together: what a failure means is the same for them, and so is the version to which the host
 * converts objects for them.
 */
export interface PolicyClass {
  readonly failurePolicy: 'Fail' | 'Ignore';
  /**
   * `v1`, `any`, `v1.v1beta1`, or `mixed-{uid}` of a policy whose rules differ in it, with `.core-events` or `.new-events` behind it for policies
   * that name one of the two groups of events; a DNS subdomain.
   */
  readonly versions: string;
}

const all = '*';
const longestVersions = 120;

function nameVersions({ spec, metadata }: ValidatingAdmissionPolicy): string {
  const lists = (spec.matchConstraints?.resourceRules ?? []).map(({ apiVersions = [] }) =>
    [...new Set(apiVersions)].toSorted().join('.'),
  );
  const [first = all] = lists;
  if (lists.every((list) => list === first)) {
    if (first === all) return 'any';
    const isName = checkDns1123Subdomain(first).length === 0 && first.length <= longestVersions;
    if (isName && first !== 'any' && !first.startsWith('mixed-')) return first;
  }
  return `mixed-${metadata.uid ?? ''}`;
}

function isNamed(values: readonly string[] | undefined, value: string): boolean {
  return values !== undefined && (values.includes(all) || values.includes(value));
}

/** A host serves the same events in two groups, and converts them to the one that an entry names: of a policy that names both, it converts none. */
function nameEvents({ spec }: ValidatingAdmissionPolicy): string {
  const { resourceRules = [], matchPolicy } = spec.matchConstraints ?? {};
  if (matchPolicy === 'Exact') return '';
  const names = (group: string): boolean =>
    resourceRules.some(
      ({ apiGroups, resources = [] }) =>
        isNamed(apiGroups, group) &&
        isNamed(
          resources.map((pattern) => pattern.split('/', 1)[0] ?? ''),
          'events',
        ),
    );
  const [isCore, isNew] = [names(''), names('events.k8s.io')];
  if (isCore === isNew) return '';
  return isCore ? '.core-events' : '.new-events';
}

/** The class of a policy, by nothing but the policy itself, so that whoever asks and whoever answers agree. */
export function classifyPolicy(policy: ValidatingAdmissionPolicy): PolicyClass {
  const failurePolicy = policy.spec.failurePolicy === 'Ignore' ? 'Ignore' : 'Fail';
  return { failurePolicy, versions: nameVersions(policy) + nameEvents(policy) };
}

const prefix = '/validate/policies/';

/** `/validate/policies/fail/v1`. */
export function formatPolicyPath({ failurePolicy, versions }: PolicyClass): string {
  return `${prefix}${failurePolicy.toLowerCase()}/${versions}`;
}

/** The class that a path is for; `undefined` for other paths. */
export function parsePolicyPath(path: string): PolicyClass | undefined {
  if (!path.startsWith(prefix)) return undefined;
  const [word, versions, ...rest] = path.slice(prefix.length).split('/');
  if (versions === undefined || versions === '' || rest.length > 0) return undefined;
  if (word === 'fail') return { failurePolicy: 'Fail', versions };
  return word === 'ignore' ? { failurePolicy: 'Ignore', versions } : undefined;
}
