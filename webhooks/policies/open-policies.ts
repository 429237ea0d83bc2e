import { PolicyDecider } from '../../admission/policy/decide-policies.ts';
import { EvaluationThreads } from '../../admission/policy/evaluation-threads.ts';
import { findKindSchema } from '../../admission/policy/find-kind-schema.ts';
import type { AdmissionPlugin } from '../../admission/admission-plugin.ts';
import { keepUsedParams, logPolicyFaults } from '../../admission/policy/log-policy-faults.ts';
import { ParamAccessPlugin } from '../../admission/policy/param-access-plugin.ts';
import { ParamIndexes } from '../../admission/policy/param-indexes.ts';
import { PolicyIndex } from '../../admission/policy/policy-index.ts';
import { PolicyMetrics } from '../../admission/policy/policy-metrics.ts';
import { PolicyPlugin } from '../../admission/policy/policy-plugin.ts';
import type { PolicyServices } from '../../admission/policy/policy-services.ts';
import { classifyPolicy, formatPolicyPath, parsePolicyPath } from '../../admission/registrations/classify-policy.ts';
import type { PermissionAnswer, PermissionQuestion } from '../../core/cel/libraries/authorizer/permission.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { ResourceName } from '../../core/meta/resource-name.ts';
import type { ValidatingAdmissionPolicyBinding } from '../../kinds/admissionregistration/validating-admission-policy-binding/schema.ts';
import type { ValidatingAdmissionPolicy } from '../../kinds/admissionregistration/validating-admission-policy/schema.ts';
import { AccessReviews } from '../../platform/kube/access-reviews.ts';
import type { HostConnection } from '../../platform/kube/host-connection.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { Logger } from '../../platform/process/logger.ts';
import type { Registry } from '../../platform/process/metrics.ts';
import { CollectionIndex } from '../../platform/resources/collection-index.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';
import { countInvalid } from '../count-invalid.ts';
import type { ReviewRoute } from '../review/decide-review.ts';
import { ServedKinds } from './served-kinds.ts';

/** What judging by policies at a host needs of the program. */
export interface PoliciesOptions {
  readonly connection: HostConnection;
  readonly client: ResourceClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Registry;
  readonly domain: string;
  /** Told of the audit annotations of each review that has some; absent: nobody is. */
  readonly recordAnnotations?: ReviewRoute['recordAnnotations'];
}

/** What judges by policies, and what it follows for that. */
export interface Policies {
  readonly policies: CollectionIndex<ValidatingAdmissionPolicy>;
  readonly bindings: CollectionIndex<ValidatingAdmissionPolicyBinding>;
  /** What keeps people from parameters that they may not read. */
  readonly paramAccess: AdmissionPlugin;
  /** What decides at a path; `undefined` for paths that are not for policies. */
  findRoute(path: string): ReviewRoute | undefined;
  /** Resolves when policies, bindings and namespaces are known. */
  start(): Promise<void>;
  close(): Promise<void>;
}

const namespaceResource = { group: '', version: 'v1', resource: 'namespaces' };
async function askHost(
  reviews: AccessReviews,
  { user, attributes }: PermissionQuestion,
  logger: Logger,
): Promise<PermissionAnswer> {
  try {
    return await reviews.ask(user, attributes);
  } catch (error) {
    logger.warn({ err: error }, 'the host could not be asked what a user may do');
    return { allowed: false, reason: '', error: 'the host could not be asked' };
  }
}

/** A namespace as it is now, whether or not it is known yet; `undefined` when there is none. */
async function readNamespace(client: ResourceClient, name: string): Promise<KubeObject | undefined> {
  const { items } = await client.list({ resource: namespaceResource }, { fieldSelector: `metadata.name=${name}` });
  return items[0];
}

/** Puts together what judges the writes at a host by admission policies. */
export function openPolicies(options: PoliciesOptions): Policies {
  const { client, clock, logger, metrics, domain, recordAnnotations } = options;
  const follow = <T extends KubeObject>(resource: ResourceName): CollectionIndex<T> =>
    new CollectionIndex<T>({
      ...{ client, clock, reference: { resource } },
      onFailure: (error) =>
        logger.warn({ resource: resource.resource, err: error }, 'following a collection failed, trying again'),
    });
  const policyGroup = { group: `admissionregistration.${domain}`, version: 'v1' };
  const policies = follow<ValidatingAdmissionPolicy>({ ...policyGroup, resource: 'validatingadmissionpolicies' });
  const bindings = follow<ValidatingAdmissionPolicyBinding>({
    ...policyGroup,
    resource: 'validatingadmissionpolicybindings',
  });
  const namespaces = follow(namespaceResource);
  const kinds = new ServedKinds(options);
  const params = new ParamIndexes({
    ...{ client, clock, resolveKind: (kind) => kinds.find(kind) },
    onFailure: (error) => logger.warn({ err: error }, 'following parameters of policies failed, trying again'),
  });
  const reviews = new AccessReviews(options);
  const threads = new EvaluationThreads({ domain, clock });
  const services: PolicyServices = {
    ...{ domain, clock },
    findNamespace: async (name) => namespaces.get(name) ?? readNamespace(client, name),
    findParams: (kind) => params.find(kind),
    askPermission: (question) => askHost(reviews, question, logger),
    // The host converts what it asks about.
    listEquivalents: () => [],
    findSchema: (kind) => findKindSchema(domain, kind),
    evaluateElsewhere: (input, how) => threads.evaluate(input, how),
    ...logPolicyFaults(logger),
  };
  const decider = new PolicyDecider(services);
  const policyMetrics = new PolicyMetrics(metrics);
  const countFaults = countInvalid({ kind: 'ValidatingAdmissionPolicy', logger, metrics });
  const all = PolicyIndex.over({ policies, bindings, domain, clock, onInvalid: countFaults });
  const followParams = (): void => keepUsedParams(all, params, logger);
  const routes = new Map<string, ReviewRoute>();
  const findRoute = (path: string): ReviewRoute | undefined => {
    const known = routes.get(path);
    if (known !== undefined) return known;
    const policyClass = parsePolicyPath(path);
    if (policyClass === undefined) return undefined;
    const common = {
      path: `/validate/policies/${policyClass.failurePolicy.toLowerCase()}`,
      type: 'validating',
      isVerbatim: true,
    } as const;
    const selects = (policy: ValidatingAdmissionPolicy): boolean => formatPolicyPath(classifyPolicy(policy)) === path;
    // Whoever calls can name as many paths as they like.
    if (!all.listAll().some(({ policy }) => selects(policy))) return { ...common, plugins: [] };
    const index = all.narrow(selects);
    const route: ReviewRoute = {
      ...common,
      plugins: [new PolicyPlugin({ services, decider, index, metrics: policyMetrics })],
      ...(recordAnnotations === undefined ? {} : { recordAnnotations }),
    };
    routes.set(path, route);
    return route;
  };
  const paramAccess = new ParamAccessPlugin({
    domain,
    askPermission: services.askPermission,
    resolveKind: (kind) => kinds.find(kind),
    findPolicy: async (name) => policies.get(name),
  });
  let stop: () => void = () => undefined;
  return {
    ...{ policies, bindings, paramAccess, findRoute },
    async start() {
      await Promise.all([policies.start(), bindings.start(), namespaces.start(), decider.prepare()]);
      stop = all.subscribe(followParams);
      followParams();
    },
    async close() {
      stop();
      await Promise.all([policies.close(), bindings.close(), namespaces.close(), params.close(), threads.close()]);
    },
  };
}
