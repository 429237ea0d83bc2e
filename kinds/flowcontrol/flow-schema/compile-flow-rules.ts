import type { FlowRequest } from './flow-request.ts';
import { SERVICE_ACCOUNT_PREFIX } from './match-rules.ts';
import { countKeys, RuleIndex } from './rule-index.ts';
import type { FlowSchema, FlowSubject, PolicyRules } from './schema.ts';

/** So many copies of the places of its rules may any entry have, however small it is. */
const freeCopies = 64;

/** The rules of one entry that names many subjects. */
interface SharedRules {
  readonly rank: number;
  readonly rules: RuleIndex;
}

/** The rules that apply to one subject. */
export class SubjectRules {
  #own: RuleIndex | undefined;
  /** In the order of the ranks. */
  #shared: SharedRules[] | undefined;

  /** The index of the rules that are kept for this subject alone. */
  get own(): RuleIndex {
    this.#own ??= new RuleIndex();
    return this.#own;
  }

  /** Adds rules that other subjects have too, whose rank is none lower than those before. */
  share(shared: SharedRules): void {
    if (this.#shared === undefined) this.#shared = [shared];
    else if (this.#shared.at(-1) !== shared) this.#shared.push(shared);
  }

  /** The lowest rank below `bound` of a rule that matches; `bound` when there is none. */
  find(request: FlowRequest, bound: number): number {
    let best = this.#own === undefined ? bound : this.#own.find(request, bound);
    if (this.#shared === undefined) return best;
    for (const { rank, rules } of this.#shared) {
      if (rank >= best) return best;
      best = rules.find(request, best);
    }
    return best;
  }
}

/** The rules of all schemas, by whom they apply to. */
export interface CompiledFlowRules {
  readonly everybody: SubjectRules;
  /** Service accounts are users with names of their own. */
  readonly users: ReadonlyMap<string, SubjectRules>;
  readonly groups: ReadonlyMap<string, SubjectRules>;
  /** Those of all service accounts of a namespace. */
  readonly namespaces: ReadonlyMap<string, SubjectRules>;
}

function findOrMake(subjects: Map<string, SubjectRules>, key: string): SubjectRules {
  let rules = subjects.get(key);
  if (rules === undefined) {
    rules = new SubjectRules();
    subjects.set(key, rules);
  }
  return rules;
}

class FlowRules implements CompiledFlowRules {
  readonly everybody = new SubjectRules();
  readonly users = new Map<string, SubjectRules>();
  readonly groups = new Map<string, SubjectRules>();
  readonly namespaces = new Map<string, SubjectRules>();

  *add(entry: PolicyRules, rank: number): Generator<undefined, void> {
    const subjects = entry.subjects ?? [];
    const keys = countKeys(entry);
    if (subjects.length * keys <= Math.max(freeCopies, subjects.length + keys)) {
      for (const subject of subjects) {
        const own = this.#find(subject)?.own;
        if (own !== undefined) yield* own.add(entry, rank);
      }
      return;
    }
    const shared = { rank, rules: new RuleIndex() };
    yield* shared.rules.add(entry, rank);
    for (const subject of subjects) {
      this.#find(subject)?.share(shared);
      yield;
    }
  }

  #find({ kind, user, group, serviceAccount }: FlowSubject): SubjectRules | undefined {
    switch (kind) {
      case 'User':
        if (user === undefined) return undefined;
        return user.name === '*' ? this.everybody : findOrMake(this.users, user.name);
      case 'Group':
        if (group === undefined) return undefined;
        return group.name === '*' ? this.everybody : findOrMake(this.groups, group.name);
      case 'ServiceAccount': {
        if (serviceAccount === undefined) return undefined;
        const { namespace, name } = serviceAccount;
        if (name === '*') return findOrMake(this.namespaces, namespace);
        return findOrMake(this.users, `${SERVICE_ACCOUNT_PREFIX}${namespace}:${name}`);
      }
      default:
        return undefined;
    }
  }
}

/**
 * Compiles the rules of schemas that are in the order in which they are asked. Yields after each short step, and takes no more steps than
 * what the schemas hold, but for a bounded number an entry: rules are copied for each subject only where that is few copies.
 */
export function* compileFlowRules(schemas: readonly FlowSchema[]): Generator<undefined, CompiledFlowRules> {
  const compiled = new FlowRules();
  for (const [rank, { spec }] of schemas.entries()) {
    for (const entry of spec.rules ?? []) yield* compiled.add(entry, rank);
    yield;
  }
  return compiled;
}
