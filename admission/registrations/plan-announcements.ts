import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { Enforcement } from '../../platform/release/enforcement.ts';

/** What to tell about one object; `state` is what it is true of, so that it is told once. */
export interface Announcement {
  readonly object: KubeObject;
  readonly type: 'Normal' | 'Warning';
  readonly reason: 'Enforced' | 'Audited' | 'NotEnforced';
  readonly message: string;
  readonly state: string;
}

/** What is in force at the host. */
export interface AnnouncementFacts {
  readonly objects: readonly KubeObject[];
  readonly enforcement: Enforcement;
  /** Namespaces in which nothing is enforced. */
  readonly excluded: readonly string[];
  /** States that were told of, by uid. */
  readonly told: ReadonlyMap<string, string>;
}

function describe(object: KubeObject, facts: AnnouncementFacts): Omit<Announcement, 'object' | 'state'> {
  const { namespace = '', generation } = object.metadata;
  const which = generation === undefined ? 'This' : `Generation ${generation}`;
  if (facts.excluded.includes(namespace)) {
    return { type: 'Warning', reason: 'NotEnforced', message: `Nothing is enforced in the namespace ${namespace}` };
  }
  if (facts.enforcement === 'Enforce') {
    return { type: 'Normal', reason: 'Enforced', message: `${which} is in force at the host` };
  }
  if (facts.enforcement === 'Audit') {
    return { type: 'Normal', reason: 'Audited', message: `${which} is audited: nothing is refused` };
  }
  return { type: 'Warning', reason: 'NotEnforced', message: 'Enforcement is off for the whole release' };
}

/** What is to be told about which objects, and has not been told of them in this state; everything once the host asks the webhooks. */
export function planAnnouncements(facts: AnnouncementFacts): Announcement[] {
  return facts.objects.flatMap((object) => {
    const { uid = '', generation = 0 } = object.metadata;
    const announcement = describe(object, facts);
    const state = `${generation} ${announcement.reason}`;
    return facts.told.get(uid) === state ? [] : [{ ...announcement, object, state }];
  });
}
