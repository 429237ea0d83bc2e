import { compileFlowRules, type CompiledFlowRules } from './compile-flow-rules.ts';
import type { FlowRequest, FlowUser } from './flow-request.ts';
import { SERVICE_ACCOUNT_PREFIX } from './match-rules.ts';
import type { FlowSchema } from './schema.ts';

function compileAtOnce(schemas: readonly FlowSchema[]): CompiledFlowRules {
  const steps = compileFlowRules(schemas);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/**
 * Tells which FlowSchema a request belongs to: the first in order that matches. What is asked is what names the caller or everybody, and
 * of that what names the namespace, the resource, or every one; so the time hangs on the groups of the caller rather than on the number of
 * schemas.
 */
export class FlowClassifier<T extends FlowSchema = FlowSchema> {
  /** The schemas in the order in which they are asked. */
  readonly schemas: readonly T[];
  readonly #rules: CompiledFlowRules;
  readonly #fallback: T | undefined;

  /**
   * `schemas` in the order in which they are asked; that named `catch-all` takes what none matches. They must not change afterwards.
   * `rules`: what they are compiled to; absent: they are compiled at once, however long that takes.
   */
  constructor(schemas: readonly T[], rules: CompiledFlowRules = compileAtOnce(schemas)) {
    this.schemas = schemas;
    this.#rules = rules;
    this.#fallback = schemas.find(({ metadata }) => metadata.name === 'catch-all');
  }

  /** The schema of a request. Throws when none matches and there is no `catch-all`. */
  classify(user: FlowUser, request: FlowRequest): T {
    const { username, groups } = user;
    const { everybody, users, groups: ofGroups, namespaces } = this.#rules;
    let best = everybody.find(request, this.schemas.length);
    best = users.get(username)?.find(request, best) ?? best;
    for (const group of groups) best = ofGroups.get(group)?.find(request, best) ?? best;
    if (namespaces.size > 0 && username.startsWith(SERVICE_ACCOUNT_PREFIX)) {
      const end = username.indexOf(':', SERVICE_ACCOUNT_PREFIX.length);
      const namespace = end < 0 ? undefined : username.slice(SERVICE_ACCOUNT_PREFIX.length, end);
      if (namespace !== undefined) best = namespaces.get(namespace)?.find(request, best) ?? best;
    }
    const found = this.schemas[best] ?? this.#fallback;
    if (found === undefined) throw new Error('no flow schema matches, and there is no catch-all');
    return found;
  }
}

/** What tells the flows of a schema apart: the user's name, the namespace, or nothing. */
export function distinguishFlow({ spec }: FlowSchema, user: FlowUser, request: FlowRequest): string {
  switch (spec.distinguisherMethod?.type) {
    case 'ByUser':
      return user.username;
    case 'ByNamespace':
      return request.namespace;
    default:
      return '';
  }
}
