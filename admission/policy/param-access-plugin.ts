import type { PermissionAnswer, PermissionQuestion } from '../../core/cel/libraries/authorizer/permission.ts';
import { FieldPath } from '../../core/errors/field-path.ts';
import { makeForbidden } from '../../core/errors/make-field-error.ts';
import { makeInvalidError } from '../../core/errors/make-status-error.ts';
import { parseApiVersion } from '../../core/meta/resource-name.ts';
import type { UserInfo } from '../../core/meta/user-info.ts';
import type { ValidatingAdmissionPolicyBinding } from '../../kinds/admissionregistration/validating-admission-policy-binding/schema.ts';
import type {
  ParamKind,
  ValidatingAdmissionPolicy,
} from '../../kinds/admissionregistration/validating-admission-policy/schema.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission-plugin.ts';
import type { ParamResource } from './param-indexes.ts';

/** What the plugin asks. */
export interface ParamAccessOptions {
  readonly domain: string;
  /** A failure is part of the answer. */
  askPermission(question: PermissionQuestion): Promise<PermissionAnswer>;
  /** `undefined` when nobody serves the kind. */
  resolveKind(kind: ParamKind): Promise<ParamResource | undefined>;
  /** `undefined` when there is no such policy. */
  findPolicy(name: string): Promise<ValidatingAdmissionPolicy | undefined>;
}

const superusers = 'system:masters';
const all = '*';
const plurals = { policies: 'validatingadmissionpolicies', bindings: 'validatingadmissionpolicybindings' } as const;

/** A user as Kubernetes prints one. */
function formatUser({ username, uid = '', groups, extra = {} }: UserInfo): string {
  const more = Object.entries(extra)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, values]) => `${key}:[${values.join(' ')}]`);
  return `&{${username} ${uid} [${groups.join(' ')}] map[${more.join(' ')}]}`;
}

/** What must be known of a kind to ask about it; `*` for what is not. */
interface AskedKind {
  readonly group: string;
  readonly resource: string;
  readonly fault?: 'group' | 'resource';
}

/**
 * Lets nobody write a policy or binding whose parameters they may not read themselves: what evaluates policies reads them with rights of its own,
 * and messages tell what is in them.
 */
export class ParamAccessPlugin implements AdmissionPlugin {
  readonly name = 'ParamAccess';
  readonly #options: ParamAccessOptions;
  readonly #group: string;

  constructor(options: ParamAccessOptions) {
    this.#options = options;
    this.#group = `admissionregistration.${options.domain}`;
  }

  handles({ operation, resource, subresource, user }: AdmissionAttributes): boolean {
    const isWrite = (operation === 'CREATE' || operation === 'UPDATE') && subresource === undefined;
    const isOwn = resource.group === this.#group && Object.values<string>(plurals).includes(resource.resource);
    return isWrite && isOwn && !user.groups.includes(superusers);
  }

  async validate({ resource, object, oldObject, user }: AdmissionAttributes): Promise<void> {
    const isPolicy = resource.resource === plurals.policies;
    const fault = isPolicy
      ? await this.#judgePolicy(object as ValidatingAdmissionPolicy, oldObject as ValidatingAdmissionPolicy, user)
      : await this.#judgeBinding(object as ValidatingAdmissionPolicyBinding, user);
    if (fault === undefined) return;
    const path = FieldPath.root('spec').child(isPolicy ? 'paramKind' : 'paramRef');
    const { kind = '', metadata } = object ?? { metadata: {} };
    throw makeInvalidError(resource.group, kind, metadata.name ?? '', [makeForbidden(path, fault)]);
  }

  async #judgePolicy(
    { spec }: ValidatingAdmissionPolicy,
    old: ValidatingAdmissionPolicy | undefined,
    user: UserInfo,
  ): Promise<string | undefined> {
    const { paramKind } = spec;
    if (paramKind === undefined) return undefined;
    const { apiVersion = '', kind = '' } = paramKind;
    const before = old?.spec.paramKind;
    if (before?.apiVersion === apiVersion && before.kind === kind) return undefined;
    const { group, resource } = await this.#resolve(paramKind);
    const asked = { verb: 'get', group, resource, namespace: all, name: all };
    if (await this.#isAllowed(user, asked)) return undefined;
    return (
      `user ${formatUser(user)} must have "get" permission on all objects of the referenced paramKind ` +
      `(kind=${kind}, apiVersion=${apiVersion})`
    );
  }

  async #judgeBinding({ spec }: ValidatingAdmissionPolicyBinding, user: UserInfo): Promise<string | undefined> {
    const { paramRef, policyName = '' } = spec;
    if (paramRef === undefined) return undefined;
    const policy = await this.#options.findPolicy(policyName);
    const paramKind = policy?.spec.paramKind;
    const { group, resource, fault } =
      paramKind === undefined ? { group: all, resource: all } : await this.#resolve(paramKind);
    const { name = '', namespace = '' } = paramRef;
    const verb = name === '' ? 'list' : 'get';
    const asked = {
      ...{ verb, group, resource },
      ...(namespace === '' ? {} : { namespace }),
      ...(name === '' ? {} : { name }),
    };
    if (await this.#isAllowed(user, asked)) return undefined;
    const lacks = `user ${formatUser(user)} does not have "${verb}" permission`;
    const everywhere = `to determine minimum required permissions and ${lacks} for all groups, versions and resources`;
    if (policy === undefined) return `unable to get policy ${policyName} ${everywhere}`;
    const shown = `&{${paramKind?.kind ?? ''} ${paramKind?.apiVersion ?? ''}}`;
    if (fault === 'group') return `unable to parse paramKind ${shown} ${everywhere}`;
    if (fault === 'resource') return `unable to resolve paramKind ${shown} ${everywhere}`;
    return `${lacks} on the object referenced by paramRef`;
  }

  async #resolve(kind: ParamKind): Promise<AskedKind> {
    const parsed = parseApiVersion(kind.apiVersion ?? '');
    if (parsed === undefined) return { group: all, resource: all, fault: 'group' };
    const found = await this.#options.resolveKind(kind);
    if (found === undefined) return { group: parsed.group, resource: all, fault: 'resource' };
    return { group: parsed.group, resource: found.resource.resource };
  }

  async #isAllowed(
    user: UserInfo,
    asked: {
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly namespace?: string;
      readonly name?: string;
    },
  ): Promise<boolean> {
    const { allowed } = await this.#options.askPermission({
      user,
      attributes: { type: 'resource', version: all, ...asked },
    });
    return allowed;
  }
}
