import type { AuthorizationAttributes } from '../../../core/meta/authorization-attributes.ts';
import { startTestService, type TestService } from '../../apiserver/start-test-service.ts';
import { createMetricsRegistry } from '../../../platform/process/metrics.ts';
import { createSilentLogger } from '../../../platform/process/logger.ts';
import { systemClock } from '../../../platform/process/clock.ts';
import { buildEmbeddedPolicies } from '../build-embedded-policies.ts';

/** An API service that enforces policies, with the namespace `a`. */
export interface PolicyService extends Pick<TestService, 'send' | 'stop'> {
  readonly policiesPath: string;
  /** Writes a policy and resolves once it is in force. */
  apply(name: string, spec: object): Promise<void>;
  /** Writes a binding and resolves once it is in force. */
  bind(name: string, spec: object): Promise<void>;
  makeNamespace(name: string, labels?: object): Promise<void>;
  /** Removes every policy and binding, and every prohibition, and resolves once nothing is in force. */
  removePolicies(): Promise<void>;
  /** From now on nobody may do anything to a resource, as far as expressions can tell. */
  forbid(resource: string): void;
  readMetrics(): Promise<string>;
}

const group = '/apis/admissionregistration.bailiwick.dev/v1';

/** Starts it on a free port. */
export async function startPolicyService(): Promise<PolicyService> {
  const service = await startTestService();
  const forbidden = new Set<string>();
  const metrics = createMetricsRegistry();
  const policies = buildEmbeddedPolicies({
    client: service.resources.clientFor({ username: 'system:bailiwick', groups: ['system:masters'] }),
    clock: systemClock,
    logger: createSilentLogger(),
    registry: service.resources.services.registry,
    authorizer: {
      authorize: async (_user, attributes: AuthorizationAttributes) => ({
        allowed: attributes.type !== 'resource' || !forbidden.has(attributes.resource),
        reason: '',
      }),
    },
    metrics,
  });
  service.resources.install({ plugins: [policies.accessPlugin, policies.plugin] });
  const makeNamespace = async (name: string, labels: object = {}): Promise<void> => {
    const answer = await service.send('POST', '/api/v1/namespaces', { body: { metadata: { name, labels } } });
    if (answer.code !== 201) throw new Error(answer.text);
  };
  await makeNamespace('a');
  await policies.start();

  /** Resolves once the index shows the generations that were written. */
  const settle = async (isSettled: () => boolean): Promise<void> => {
    if (isSettled()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = policies.index.subscribe(() => {
      if (isSettled()) resolve();
    });
    if (isSettled()) resolve();
    await promise;
    end();
  };
  const write = async (plural: string, name: string, spec: object): Promise<number> => {
    const path = `${group}/${plural}`;
    const existing = await service.send('GET', `${path}/${name}`);
    const { resourceVersion } = (existing.body.metadata ?? {}) as { resourceVersion?: string };
    const body = { metadata: { name, resourceVersion }, spec };
    const answer =
      existing.code === 404
        ? await service.send('POST', path, { body })
        : await service.send('PUT', `${path}/${name}`, { body });
    if (answer.code > 201) throw new Error(answer.text);
    return answer.body.metadata.generation as number;
  };
  return {
    send: service.send,
    policiesPath: `${group}/validatingadmissionpolicies`,
    apply: async (name, spec) => {
      const generation = await write('validatingadmissionpolicies', name, spec);
      await settle(() =>
        policies.index
          .listAll()
          .some(({ policy: { metadata } }) => metadata.name === name && metadata.generation === generation),
      );
    },
    bind: async (name, spec) => {
      const generation = await write('validatingadmissionpolicybindings', name, spec);
      await settle(() =>
        policies.index
          .listAll()
          .some(({ bindings }) =>
            bindings.some(({ metadata }) => metadata.name === name && metadata.generation === generation),
          ),
      );
    },
    makeNamespace,
    removePolicies: async () => {
      forbidden.clear();
      for (const plural of ['validatingadmissionpolicybindings', 'validatingadmissionpolicies']) {
        await service.send('DELETE', `${group}/${plural}`);
      }
      await settle(() => policies.index.listAll().length === 0);
    },
    forbid: (resource) => void forbidden.add(resource),
    readMetrics: () => metrics.metrics(),
    stop: async () => {
      await policies.close();
      await service.stop();
    },
  };
}
