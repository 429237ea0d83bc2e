import type { AdmissionAttributes, AdmissionPlugin } from '../../../../admission/admission-plugin.ts';
import { aggregateMessages } from '../../../../core/errors/make-field-error.ts';
import { makeForbiddenError, makeInternalError, makeNotFoundError } from '../../../../core/errors/make-status-error.ts';
import { quoteGo } from '../../../../core/errors/quote-go.ts';
import { deepEqual } from '../../../../core/meta/deep.ts';
import type { KubeObject } from '../../../../core/meta/kube-object.ts';
import type { UserInfo } from '../../../../core/meta/user-info.ts';
import type { Authorizer } from '../authorizer.ts';
import { findMissingRules, formatMissingRules, formatQuotedList } from './cover-rules.ts';
import { privilegedGroup } from './rbac-authorizer.ts';
import type { RbacIndex } from './rbac-index.ts';
import { rbacGroup } from './rbac-objects.ts';
import type { BindingObject, PolicyRule, RoleObject } from './rbac-objects.ts';

const roleResources = new Set(['roles', 'clusterroles']);
const bindingResources = new Set(['rolebindings', 'clusterrolebindings']);

const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/** Whether a write changes nothing but what garbage collection changes, so that an object can always be taken apart. */
function changesCollectionFieldsOnly(object: KubeObject, old: KubeObject | undefined): boolean {
  if (old === undefined) return false;
  const { ownerReferences: _o, finalizers: _f, managedFields: _m, ...metadata } = object.metadata;
  const { ownerReferences: _p, finalizers: _g, managedFields: _n, ...oldMetadata } = old.metadata;
  return deepEqual({ ...object, metadata }, { ...old, metadata: oldMetadata });
}

function isAggregated(role: RoleObject | undefined): boolean {
  return (role?.aggregationRule?.clusterRoleSelectors?.length ?? 0) > 0;
}

/**
 * Refuses that somebody gives away, by a role or a binding, what they may not do themselves, unless the verbs `escalate` or `bind`
 * allow it. Kubernetes checks this where roles are stored; here it is a link of the admission chain.
 */
export class EscalationPlugin implements AdmissionPlugin {
  readonly name = 'RBACEscalation';
  readonly #index: RbacIndex;
  readonly #authorizer: Authorizer;

  constructor(options: { readonly index: RbacIndex; readonly authorizer: Authorizer }) {
    this.#index = options.index;
    this.#authorizer = options.authorizer;
  }

  handles(attributes: AdmissionAttributes): boolean {
    const { operation, resource, subresource, user } = attributes;
    return (
      resource.group === rbacGroup &&
      subresource === undefined &&
      (operation === 'CREATE' || operation === 'UPDATE') &&
      (roleResources.has(resource.resource) || bindingResources.has(resource.resource)) &&
      !user.groups.includes(privilegedGroup)
    );
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    const { object, oldObject, resource } = attributes;
    if (object === undefined || changesCollectionFieldsOnly(object, oldObject)) return;
    if (roleResources.has(resource.resource)) await this.#checkRole(attributes, object);
    else await this.#checkBinding(attributes, object as BindingObject);
  }

  async #checkRole(attributes: AdmissionAttributes, role: RoleObject): Promise<void> {
    const { resource, namespace, name, user } = attributes;
    const { allowed } = await this.#authorizer.authorize(user, {
      type: 'resource',
      verb: 'escalate',
      group: rbacGroup,
      version: '*',
      resource: resource.resource,
      ...(namespace === undefined ? {} : { namespace }),
      ...(attributes.operation === 'CREATE' || name === '' ? {} : { name }),
    });
    if (allowed) return;
    await this.#confirmHeld(attributes, role.rules ?? []);
    if (!isAggregated(role) && !isAggregated(attributes.oldObject)) return;
    await this.#index.sync();
    if (findMissingRules(this.#index.listRules(user, '').rules, everything).length === 0) return;
    throw makeForbiddenError(
      rbacGroup,
      resource.resource,
      role.metadata.name ?? '',
      'must have cluster-admin privileges to use the aggregationRule',
    );
  }

  async #checkBinding(attributes: AdmissionAttributes, binding: BindingObject): Promise<void> {
    const { namespace, user } = attributes;
    const { kind, apiGroup, name } = binding.roleRef;
    if (kind === 'ClusterRole' || kind === 'Role') {
      const { allowed } = await this.#authorizer.authorize(user, {
        type: 'resource',
        verb: 'bind',
        group: apiGroup,
        version: '*',
        resource: kind === 'ClusterRole' ? 'clusterroles' : 'roles',
        name,
        ...(namespace === undefined ? {} : { namespace }),
      });
      if (allowed) return;
    }
    await this.#index.sync();
    const rules = this.#index.findRules(binding.roleRef, namespace ?? '');
    if (typeof rules !== 'string') {
      await this.#confirmHeld(attributes, rules);
    } else if (kind === 'ClusterRole' || kind === 'Role') {
      throw makeNotFoundError(rbacGroup, kind.toLowerCase(), name);
    } else {
      throw makeInternalError(rules);
    }
  }

  async #confirmHeld(attributes: AdmissionAttributes, wanted: readonly PolicyRule[]): Promise<void> {
    const { user, namespace, resource, object } = attributes;
    await this.#index.sync();
    const { rules, faults } = this.#index.listRules(user, namespace ?? '');
    const missing = findMissingRules(rules, wanted);
    if (missing.length === 0) return;
    throw makeForbiddenError(
      rbacGroup,
      resource.resource,
      object?.metadata.name ?? '',
      describeEscalation(user, missing, faults),
    );
  }
}

function describeEscalation(user: UserInfo, missing: readonly PolicyRule[], faults: readonly string[]): string {
  const who = `user ${quoteGo(user.username)} (groups=${formatQuotedList(user.groups)})`;
  const message = `${who} is attempting to grant RBAC permissions not currently held:\n${formatMissingRules(missing)}`;
  return faults.length === 0 ? message : `${message}; resolution errors: [${aggregateMessages(faults)}]`;
}
