import { EvaluationThreads } from '../../admission/policy/evaluation-threads.ts';
import { keepUsedParams, logPolicyFaults } from '../../admission/policy/log-policy-faults.ts';
import { ParamAccessPlugin } from '../../admission/policy/param-access-plugin.ts';
import { ParamIndexes, type ParamResource } from '../../admission/policy/param-indexes.ts';
import { PolicyDecider } from '../../admission/policy/decide-policies.ts';
import { PolicyIndex } from '../../admission/policy/policy-index.ts';
import { PolicyMetrics } from '../../admission/policy/policy-metrics.ts';
import { PolicyPlugin } from '../../admission/policy/policy-plugin.ts';
import type { PolicyServices } from '../../admission/policy/policy-services.ts';
import type { PermissionAnswer, PermissionQuestion } from '../../core/cel/libraries/authorizer/permission.ts';
import { parseApiVersion } from '../../core/meta/resource-name.ts';
import type { KindName } from '../../kinds/admissionregistration/policy/policy-request.ts';
import type { ValidatingAdmissionPolicyBinding } from '../../kinds/admissionregistration/validating-admission-policy-binding/schema.ts';
import type {
  ParamKind,
  ValidatingAdmissionPolicy,
} from '../../kinds/admissionregistration/validating-admission-policy/schema.ts';
import type { KindRegistry } from '../../kinds/registry.ts';
import type { Registry } from '../../platform/process/metrics.ts';
import { getIfPresent } from '../../platform/resources/get-if-present.ts';
import type { Authorizer } from '../apiserver/authz/authorizer.ts';
import { type Controller, type ControllerOptions, createIndex } from '../controllers/controller-parts.ts';
import { namespaceResource } from '../controllers/namespace/namespace-object.ts';
import { EquivalentKinds } from './equivalent-kinds.ts';

/** What the enforcement of admission policies needs. */
export interface EmbeddedPoliciesOptions extends ControllerOptions {
  readonly registry: KindRegistry;
  readonly authorizer: Authorizer;
  readonly metrics: Registry;
}

/** The enforcement of admission policies; nothing is enforced before it is started. */
export interface EmbeddedPolicies extends Controller {
  readonly plugin: PolicyPlugin;
  /** Keeps parameters from those who may not read them. */
  readonly accessPlugin: ParamAccessPlugin;
  readonly services: PolicyServices;
  readonly decider: PolicyDecider;
  readonly index: PolicyIndex;
}

async function askAuthorizer(
  authorizer: Authorizer,
  { user, attributes }: PermissionQuestion,
): Promise<PermissionAnswer> {
  try {
    return await authorizer.authorize(user, attributes);
  } catch (error) {
    return { allowed: false, reason: '', error: error instanceof Error ? error.message : String(error) };
  }
}

function resolveParamKind(
  registry: KindRegistry,
  { apiVersion = '', kind = '' }: ParamKind,
): ParamResource | undefined {
  const parsed = parseApiVersion(apiVersion);
  const found = parsed && registry.findByKind(parsed.group, parsed.version, kind);
  if (found === undefined || (found.verbs !== undefined && !found.verbs.includes('watch'))) return undefined;
  const { group } = parsed ?? { group: '' };
  return {
    resource: { group, version: found.version, resource: found.plural },
    namespaced: found.namespaced,
  };
}

/** Puts together what enforces admission policies in the API service. */
export function buildEmbeddedPolicies(options: EmbeddedPoliciesOptions): EmbeddedPolicies {
  const { client, clock, logger, registry, authorizer } = options;
  const { domain } = registry;
  const group = `admissionregistration.${domain}`;
  const policyResource = { group, version: 'v1', resource: 'validatingadmissionpolicies' };
  const policies = createIndex<ValidatingAdmissionPolicy>(options, policyResource);
  const bindings = createIndex<ValidatingAdmissionPolicyBinding>(options, {
    group,
    version: 'v1',
    resource: 'validatingadmissionpolicybindings',
  });
  const namespaces = createIndex(options, namespaceResource);
  const resolveKind = async (kind: ParamKind) => resolveParamKind(registry, kind);
  const params = new ParamIndexes({
    client,
    clock,
    resolveKind,
    onFailure: (error) => logger.warn({ err: error }, 'following parameters of policies failed, trying again'),
  });
  const equivalents = new EquivalentKinds(registry);
  const findSchema = ({ group: kindGroup, version, kind }: KindName) =>
    registry.findByKind(kindGroup, version, kind)?.schema;
  const findDefinedSchema = ({ group: kindGroup, version, kind }: KindName) => {
    const found = registry.findByKind(kindGroup, version, kind);
    return found?.definedBy === undefined ? undefined : found.schema;
  };
  const threads = new EvaluationThreads({ domain, clock, findDefinedSchema });
  const services: PolicyServices = {
    domain,
    clock,
    findNamespace: async (name) => namespaces.get(name) ?? getIfPresent(client, { resource: namespaceResource, name }),
    findParams: (kind) => params.find(kind),
    askPermission: (question) => askAuthorizer(authorizer, question),
    listEquivalents: (resource, kind) => equivalents.list({ resource, kind }),
    findSchema,
    evaluateElsewhere: (input, how) => threads.evaluate(input, how),
    ...logPolicyFaults(logger),
  };
  const index = PolicyIndex.over({ policies, bindings, domain, clock });
  const decider = new PolicyDecider(services);
  const followParams = (): void => keepUsedParams(index, params, logger);
  let isStarted = false;
  const followChanged = (): void => {
    if (isStarted) followParams();
  };
  index.subscribe(followChanged);
  // Parameters may be of a kind that users define, before the policy or after it.
  const forgetRegistry = registry.subscribe(followChanged);
  return {
    accessPlugin: new ParamAccessPlugin({
      domain,
      askPermission: services.askPermission,
      resolveKind,
      findPolicy: (name) => getIfPresent(client, { resource: policyResource, name }),
    }),
    plugin: new PolicyPlugin({ services, decider, index, metrics: new PolicyMetrics(options.metrics) }),
    services,
    decider,
    index,
    start: async () => {
      await Promise.all([policies.start(), bindings.start(), namespaces.start()]);
      isStarted = true;
      if (index.listAll().length > 0) await decider.prepare();
      followParams();
    },
    close: async () => {
      forgetRegistry();
      await Promise.all([policies.close(), bindings.close(), namespaces.close(), params.close()]);
      await threads.close();
    },
  };
}
