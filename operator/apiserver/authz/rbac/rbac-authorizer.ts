import { aggregateMessages } from '../../../../core/errors/make-field-error.ts';
import type { UserInfo } from '../../../../core/meta/user-info.ts';
import type { AuthorizationAttributes } from '../../../../core/meta/authorization-attributes.ts';
import type { AuthorizationDecision, Authorizer } from '../authorizer.ts';
import { matchesRule } from './match-rule.ts';
import type { RbacIndex } from './rbac-index.ts';

/** The group that may do everything, whatever the roles say. */
export const privilegedGroup = 'system:masters';

/** Decides by the roles and bindings in the store. */
export class RbacAuthorizer implements Authorizer {
  readonly #index: RbacIndex;

  constructor(index: RbacIndex) {
    this.#index = index;
  }

  async authorize(user: UserInfo, attributes: AuthorizationAttributes): Promise<AuthorizationDecision> {
    if (user.groups.includes(privilegedGroup)) return { allowed: true, reason: '' };
    await this.#index.sync();
    const namespace = attributes.type === 'resource' ? (attributes.namespace ?? '') : '';
    let grantedBy: string | undefined;
    const faults = this.#index.visitRules(user, namespace, (rule, describe) => {
      if (!matchesRule(rule, attributes)) return true;
      grantedBy = describe();
      return false;
    });
    if (grantedBy !== undefined) return { allowed: true, reason: `RBAC: allowed by ${grantedBy}` };
    return { allowed: false, reason: faults.length === 0 ? '' : `RBAC: ${aggregateMessages(faults)}` };
  }
}
