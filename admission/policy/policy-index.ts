import type { KubeObject } from '../../core/meta/kube-object.ts';
import { canMatchNames, matchesNamespaceSelector } from '../../kinds/admissionregistration/policy/match-request.ts';
import type { BoundPolicy, PolicyRequest } from '../../kinds/admissionregistration/policy/policy-request.ts';
import { validatingAdmissionPolicyBindingKind } from '../../kinds/admissionregistration/validating-admission-policy-binding/definition.ts';
import type { ValidatingAdmissionPolicyBinding } from '../../kinds/admissionregistration/validating-admission-policy-binding/schema.ts';
import { validatingAdmissionPolicyKind } from '../../kinds/admissionregistration/validating-admission-policy/definition.ts';
import type {
  ParamKind,
  ValidatingAdmissionPolicy,
} from '../../kinds/admissionregistration/validating-admission-policy/schema.ts';
import { validatePolicyStructure } from '../../kinds/admissionregistration/validating-admission-policy/validate.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { CollectionIndex } from '../../platform/resources/collection-index.ts';
import { EnforceableIndex } from '../enforceable-index.ts';

/** What the index needs; whoever makes the collections starts and closes them. */
export interface PolicyIndexOptions {
  readonly policies: CollectionIndex<ValidatingAdmissionPolicy>;
  readonly bindings: CollectionIndex<ValidatingAdmissionPolicyBinding>;
  readonly domain: string;
  readonly clock: Clock;
  /** Told of each object that nothing can act on, once a generation. */
  readonly onInvalid?: (object: KubeObject, faults: readonly string[]) => void;
}

/** Policies and bindings that can be acted on. */
interface PolicySources {
  readonly policies: EnforceableIndex<ValidatingAdmissionPolicy>;
  readonly bindings: EnforceableIndex<ValidatingAdmissionPolicyBinding>;
}

/** An expression that does not compile does what the policy's failurePolicy says, and makes the policy no less a policy. */
const policyKind = {
  ...validatingAdmissionPolicyKind,
  strategy: { ...validatingAdmissionPolicyKind.strategy, validateCreate: validatePolicyStructure },
};

/** How much is remembered: lists, and policies and bindings in them; then all are forgotten. */
const maxRemembered = 500_000;
/** Names are what a request says; longer ones are nobody's. */
const maxKeyLength = 1024;

function compareNames(a: KubeObject, b: KubeObject): number {
  const [left = '', right = ''] = [a.metadata.name, b.metadata.name];
  return left < right ? -1 : left > right ? 1 : 0;
}

function formatNames({ operation, resource, subresource, equivalents, requested }: PolicyRequest): string {
  const names = [resource, ...equivalents.map((equivalent) => equivalent.resource)];
  const converted = requested === undefined ? '' : ` ${requested.resource.group}/${requested.resource.version}`;
  const listed = names.map(({ group, version, resource: plural }) => `${group}/${version}/${plural}`).join(' ');
  return `${operation} ${listed}/${subresource}${converted}`;
}

/**
 * The policies in force with their bindings, by what they match: what a request pays for those that match neither its names nor its
 * namespace is nothing. Lists are shared and must not be changed.
 */
export class PolicyIndex {
  readonly #sources: PolicySources;
  readonly #selects: (policy: ValidatingAdmissionPolicy) => boolean;
  #all: readonly BoundPolicy[] | undefined;
  readonly #byNames = new Map<string, readonly BoundPolicy[]>();
  #byNamespace = new WeakMap<KubeObject, Map<string, readonly BoundPolicy[]>>();
  #remembered = 0;

  private constructor(sources: PolicySources, selects: (policy: ValidatingAdmissionPolicy) => boolean) {
    this.#sources = sources;
    this.#selects = selects;
    this.subscribe(() => this.#forget());
  }

  /** The index of all policies of the collections. */
  static over(options: PolicyIndexOptions): PolicyIndex {
    const { policies, bindings, domain, clock, onInvalid } = options;
    const common = { domain, clock, ...(onInvalid === undefined ? {} : { onInvalid }) };
    const sources = {
      policies: new EnforceableIndex({ ...common, kind: policyKind, index: policies }),
      bindings: new EnforceableIndex({ ...common, kind: validatingAdmissionPolicyBindingKind, index: bindings }),
    };
    return new PolicyIndex(sources, () => true);
  }

  /** An index of some of the policies; what is known of them is not found out again. */
  narrow(selects: (policy: ValidatingAdmissionPolicy) => boolean): PolicyIndex {
    return new PolicyIndex(this.#sources, selects);
  }

  /** Calls `listener` after every later change of a policy or binding. Returns a function that ends this. */
  subscribe(listener: () => void): () => void {
    const ends = [this.#sources.policies.subscribe(listener), this.#sources.bindings.subscribe(listener)];
    return () => {
      for (const end of ends) end();
    };
  }

  /** Every policy, those without bindings included, in the order of names. */
  listAll(): readonly BoundPolicy[] {
    this.#all ??= this.#bind();
    return this.#all;
  }

  /** Policies and bindings that cannot be acted on, with their faults. */
  listInvalid(): { readonly object: KubeObject; readonly faults: readonly string[] }[] {
    return [...this.#sources.policies.listInvalid(), ...this.#sources.bindings.listInvalid()];
  }

  /** The kinds of parameters that bound policies use. */
  listParamKinds(): ParamKind[] {
    return this.listAll().flatMap(({ policy: { spec }, bindings }) =>
      spec.paramKind === undefined || bindings.length === 0 ? [] : [spec.paramKind],
    );
  }

  /** Those whose rules name what the request is about, with those of their bindings that do; whether they match is still to be looked at. */
  listNamed(request: PolicyRequest): readonly BoundPolicy[] {
    const key = formatNames(request);
    const known = this.#byNames.get(key);
    if (known !== undefined) return known;
    const found = narrow(this.listAll(), (match) => canMatchNames(match, request));
    if (this.#remember(key, found)) this.#byNames.set(key, found);
    return found;
  }

  /** The same without those whose namespaceSelector does not match the request's namespace; `undefined`: there is none. */
  listMatching(request: PolicyRequest, namespace: KubeObject | undefined): readonly BoundPolicy[] {
    const named = this.listNamed(request);
    if (namespace === undefined || named.length === 0) return named;
    let lists = this.#byNamespace.get(namespace);
    if (lists === undefined) this.#byNamespace.set(namespace, (lists = new Map()));
    const key = formatNames(request);
    const known = lists.get(key);
    if (known !== undefined) return known;
    const found = narrow(named, (match) => matchesNamespaceSelector(match, request, namespace));
    if (this.#remember(key, found)) lists.set(key, found);
    return found;
  }

  #bind(): BoundPolicy[] {
    const bindings = new Map<string, ValidatingAdmissionPolicyBinding[]>();
    for (const binding of this.#sources.bindings.list().toSorted(compareNames)) {
      const { policyName = '' } = binding.spec;
      const others = bindings.get(policyName);
      if (others === undefined) bindings.set(policyName, [binding]);
      else others.push(binding);
    }
    return this.#sources.policies
      .list()
      .filter((policy) => this.#selects(policy))
      .toSorted(compareNames)
      .map((policy) => ({ policy, bindings: bindings.get(policy.metadata.name ?? '') ?? [] }));
  }

  /** Makes room for one more list; false when it is not to be kept. */
  #remember(key: string, found: readonly BoundPolicy[]): boolean {
    if (key.length > maxKeyLength) return false;
    for (const { bindings } of found) this.#remembered += 1 + bindings.length;
    this.#remembered++;
    if (this.#remembered > maxRemembered) this.#forgetLists();
    return true;
  }

  #forget(): void {
    this.#all = undefined;
    this.#forgetLists();
  }

  #forgetLists(): void {
    this.#remembered = 0;
    this.#byNames.clear();
    this.#byNamespace = new WeakMap();
  }
}

type Match = NonNullable<ValidatingAdmissionPolicy['spec']['matchConstraints']>;

function narrow(bound: readonly BoundPolicy[], allows: (match: Match) => boolean): BoundPolicy[] {
  return bound.flatMap(({ policy, bindings }) => {
    const { matchConstraints } = policy.spec;
    if (matchConstraints === undefined || !allows(matchConstraints)) return [];
    const kept = bindings.filter(({ spec }) => spec.matchResources === undefined || allows(spec.matchResources));
    if (kept.length === 0) return [];
    return [kept.length === bindings.length ? { policy, bindings } : { policy, bindings: kept }];
  });
}
