import type { AuthorizationAttributes } from '../../../meta/authorization-attributes.ts';
import type { UserInfo } from '../../../meta/user-info.ts';
import { makeObjectType, type CelType } from '../../types/cel-type.ts';
import { CelError, CelOpaque } from '../../values/cel-value.ts';
import { MissingFact } from './missing-fact.ts';
import { keyOfQuestion, type PermissionAnswer, type Permissions } from './permission.ts';

/** Type of the variable `authorizer`. */
export const authorizerType: CelType = makeObjectType('kubernetes.authorization.Authorizer');
/** Type of `authorizer.path(…)`. */
export const pathCheckType: CelType = makeObjectType('kubernetes.authorization.PathCheck');
/** Type of `authorizer.group(…)`. */
export const groupCheckType: CelType = makeObjectType('kubernetes.authorization.GroupCheck');
/** Type of `authorizer.group(…).resource(…)` and of the variable `authorizer.requestResource`. */
export const resourceCheckType: CelType = makeObjectType('kubernetes.authorization.ResourceCheck');
/** Type of what a check yields. */
export const decisionType: CelType = makeObjectType('kubernetes.authorization.Decision');

/** A value of this library. Kubernetes refuses to compare two of them, whatever they are. */
abstract class AuthorizationValue extends CelOpaque {
  equals(): CelError {
    return new CelError('no such overload');
  }
}

/** Somebody whose permissions can be asked for. */
export class Authorizer extends AuthorizationValue {
  readonly type = authorizerType;
  readonly user: UserInfo;
  readonly permissions: Permissions;

  constructor(user: UserInfo, permissions: Permissions) {
    super();
    this.user = user;
    this.permissions = permissions;
  }

  /** The decision about an action; throws MissingFact when it is not among the permissions. */
  decide(attributes: AuthorizationAttributes): Decision {
    const question = { user: this.user, attributes };
    const key = keyOfQuestion(question);
    const answer = Object.hasOwn(this.permissions, key) ? this.permissions[key] : undefined;
    if (answer === undefined) throw new MissingFact(question);
    return new Decision(answer);
  }
}

/** A path of which a verb can be asked. */
export class PathCheck extends AuthorizationValue {
  readonly type = pathCheckType;
  readonly authorizer: Authorizer;
  readonly path: string;

  constructor(authorizer: Authorizer, path: string) {
    super();
    this.authorizer = authorizer;
    this.path = path;
  }
}

/** An API group of which a resource can be asked. */
export class GroupCheck extends AuthorizationValue {
  readonly type = groupCheckType;
  readonly authorizer: Authorizer;
  readonly group: string;

  constructor(authorizer: Authorizer, group: string) {
    super();
    this.authorizer = authorizer;
    this.group = group;
  }
}

/** What a resource check is about; empty texts are absent. */
export interface CheckedResource {
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

/** A resource of which a verb can be asked. */
export class ResourceCheck extends AuthorizationValue {
  readonly type = resourceCheckType;
  readonly authorizer: Authorizer;
  readonly checked: CheckedResource;

  constructor(authorizer: Authorizer, checked: CheckedResource) {
    super();
    this.authorizer = authorizer;
    this.checked = checked;
  }

  /** The same check, narrower. */
  with(narrower: Partial<CheckedResource>): ResourceCheck {
    return new ResourceCheck(this.authorizer, { ...this.checked, ...narrower });
  }
}

/** What authorization said. */
export class Decision extends AuthorizationValue {
  readonly type = decisionType;
  readonly answer: PermissionAnswer;

  constructor(answer: PermissionAnswer) {
    super();
    this.answer = answer;
  }
}

/** The value of `authorizer`; it answers from `permissions` and throws MissingFact for what is not there. */
export function makeAuthorizer(user: UserInfo, permissions: Permissions): Authorizer {
  return new Authorizer(user, permissions);
}

/** The value of `authorizer.requestResource`. */
export function makeRequestResource(user: UserInfo, permissions: Permissions, checked: CheckedResource): ResourceCheck {
  return new ResourceCheck(new Authorizer(user, permissions), checked);
}
