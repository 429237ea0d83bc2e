import { quoteGo } from '../../../../core/errors/quote-go.ts';
import type { UserInfo } from '../../../../core/meta/user-info.ts';
import { RevisionCompacted } from '../../../../platform/store/object-store.ts';
import type { ObjectStore, StoreEvent, StoreWatch } from '../../../../platform/store/object-store.ts';
import { formatServiceAccountUsername } from '../service-account-name.ts';
import { rbacGroup } from './rbac-objects.ts';
import type { BindingObject, PolicyRule, RoleObject, RoleRef, Subject } from './rbac-objects.ts';

/** Rules that apply to somebody, and why some could not be found. */
export interface ResolvedRules {
  readonly rules: PolicyRule[];
  /** One text a binding whose role is absent. */
  readonly faults: string[];
}

const prefix = `/${rbacGroup}/`;
const readAtOnce = 1_000;

/** Bindings by the subjects that they name. */
type BindingsBySubject = Map<string, Set<BindingObject>>;

function describeSubject(subject: Subject, bindingNamespace: string): string {
  if (subject.kind !== 'ServiceAccount') return `${subject.kind} ${quoteGo(subject.name)}`;
  return `${subject.kind} ${quoteGo(`${subject.name}/${subject.namespace || bindingNamespace}`)}`;
}

function describeBinding(binding: BindingObject, subject: Subject): string {
  const { name = '', namespace = '' } = binding.metadata;
  const role = `${binding.roleRef.kind} ${quoteGo(binding.roleRef.name)}`;
  return namespace === ''
    ? `ClusterRoleBinding ${quoteGo(name)} of ${role} to ${describeSubject(subject, '')}`
    : `RoleBinding ${quoteGo(`${name}/${namespace}`)} of ${role} to ${describeSubject(subject, namespace)}`;
}

/** The identity that a subject names, as a key that is the same for users and service accounts; `undefined` when it names none. */
function formatSubjectKey(subject: Subject, bindingNamespace: string): string | undefined {
  if (subject.kind === 'User') return `user ${subject.name}`;
  if (subject.kind === 'Group') return `group ${subject.name}`;
  if (subject.kind !== 'ServiceAccount') return undefined;
  const namespace = subject.namespace || bindingNamespace;
  return namespace === '' ? undefined : `user ${formatServiceAccountUsername(namespace, subject.name)}`;
}

/**
 * Roles and bindings in memory, read from the store when somebody asks: `sync` returns once every write that was acknowledged
 * before the call is in the index, so that a new binding, or the end of one, holds for the very next request.
 */
export class RbacIndex {
  readonly #store: ObjectStore;
  readonly #roles = new Map<string, readonly PolicyRule[]>();
  readonly #bindings = new Map<string, BindingObject>();
  /** By namespace; cluster role bindings under the empty one. */
  readonly #bySubject = new Map<string, BindingsBySubject>();
  #watch: StoreWatch | undefined;
  #pulling: Promise<void> | undefined;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** Brings the index up to the store's newest acknowledged write. */
  async sync(): Promise<void> {
    const target = this.#store.revision;
    while (this.#watch === undefined || this.#watch.revision < target) {
      this.#pulling ??= this.#pull().finally(() => {
        this.#pulling = undefined;
      });
      await this.#pulling;
    }
  }

  /** Ends reading from the store. */
  close(): void {
    this.#watch?.close();
  }

  /**
   * Calls `visit` for every rule that applies to a user, those of cluster role bindings first; an empty `namespace` leaves role
   * bindings out. Ends when `visit` returns false. Returns why some rules could not be found. `describe` names the binding.
   */
  visitRules(
    user: UserInfo,
    namespace: string,
    visit: (rule: PolicyRule, describe: () => string) => boolean,
  ): string[] {
    const faults: string[] = [];
    const keys = [`user ${user.username}`, ...user.groups.map((group) => `group ${group}`)];
    for (const scope of namespace === '' ? [''] : ['', namespace]) {
      const bySubject = this.#bySubject.get(scope);
      if (bySubject === undefined) continue;
      const seen = new Set<BindingObject>();
      for (const key of keys) {
        for (const binding of bySubject.get(key) ?? []) {
          if (seen.has(binding)) continue;
          seen.add(binding);
          const resolved = this.findRules(binding.roleRef, scope);
          if (typeof resolved === 'string') {
            faults.push(resolved);
            continue;
          }
          const describe = (): string => {
            const subject = binding.subjects?.find((candidate) =>
              keys.includes(formatSubjectKey(candidate, scope) ?? ''),
            );
            return subject === undefined ? '' : describeBinding(binding, subject);
          };
          for (const rule of resolved) if (!visit(rule, describe)) return faults;
        }
      }
    }
    return faults;
  }

  /** Every rule that applies to a user in a namespace (empty: at the cluster scope). */
  listRules(user: UserInfo, namespace: string): ResolvedRules {
    const rules: PolicyRule[] = [];
    const faults = this.visitRules(user, namespace, (rule) => {
      rules.push(rule);
      return true;
    });
    return { rules, faults };
  }

  /** Rules of the role that a binding in `namespace` refers to, or the text of what is wrong with the reference. */
  findRules(roleRef: RoleRef, namespace: string): readonly PolicyRule[] | string {
    if (roleRef.kind === 'ClusterRole') {
      const rules = this.#roles.get(`${prefix}clusterroles/${roleRef.name}`);
      return rules ?? `clusterrole.${rbacGroup} ${quoteGo(roleRef.name)} not found`;
    }
    if (roleRef.kind === 'Role') {
      const rules = this.#roles.get(`${prefix}roles/${namespace}/${roleRef.name}`);
      return rules ?? `role.${rbacGroup} ${quoteGo(roleRef.name)} not found`;
    }
    return `unsupported role reference kind: ${quoteGo(roleRef.kind)}`;
  }

  async #pull(): Promise<void> {
    if (this.#watch === undefined) {
      await this.#load();
      return;
    }
    try {
      const events = await this.#watch.read(readAtOnce);
      for (const event of events) this.#apply(event);
      if (events.length === 0 && this.#watch.revision < this.#store.revision) await this.#watch.wait();
    } catch (error) {
      if (!(error instanceof RevisionCompacted)) throw error;
      this.#watch.close();
      this.#watch = undefined;
    }
  }

  async #load(): Promise<void> {
    const page = await this.#store.list(prefix);
    this.#roles.clear();
    this.#bindings.clear();
    this.#bySubject.clear();
    for (const item of page.items) this.#put(item.key, item.value);
    this.#watch = this.#store.watch(prefix, page.revision);
  }

  #apply(event: StoreEvent): void {
    if (event.type === 'put') {
      this.#put(event.key, event.value);
    } else {
      this.#roles.delete(event.key);
      this.#removeBinding(event.key);
    }
  }

  #put(key: string, value: Buffer): void {
    const [resource = ''] = key.slice(prefix.length).split('/', 1);
    if (resource === 'roles' || resource === 'clusterroles') {
      const role = JSON.parse(value.toString('utf8')) as RoleObject;
      this.#roles.set(key, role.rules ?? []);
    } else if (resource === 'rolebindings' || resource === 'clusterrolebindings') {
      this.#removeBinding(key);
      this.#addBinding(key, JSON.parse(value.toString('utf8')) as BindingObject);
    }
  }

  #addBinding(key: string, binding: BindingObject): void {
    this.#bindings.set(key, binding);
    const scope = binding.metadata.namespace ?? '';
    const bySubject: BindingsBySubject = this.#bySubject.get(scope) ?? new Map();
    this.#bySubject.set(scope, bySubject);
    for (const subject of binding.subjects ?? []) {
      const subjectKey = formatSubjectKey(subject, scope);
      if (subjectKey === undefined) continue;
      const bindings = bySubject.get(subjectKey) ?? new Set();
      bySubject.set(subjectKey, bindings);
      bindings.add(binding);
    }
  }

  #removeBinding(key: string): void {
    const binding = this.#bindings.get(key);
    if (binding === undefined) return;
    this.#bindings.delete(key);
    const scope = binding.metadata.namespace ?? '';
    const bySubject = this.#bySubject.get(scope);
    if (bySubject === undefined) return;
    for (const subject of binding.subjects ?? []) {
      const subjectKey = formatSubjectKey(subject, scope) ?? '';
      const bindings = bySubject.get(subjectKey);
      bindings?.delete(binding);
      if (bindings?.size === 0) bySubject.delete(subjectKey);
    }
    if (bySubject.size === 0) this.#bySubject.delete(scope);
  }
}
