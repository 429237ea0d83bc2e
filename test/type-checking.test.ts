import { afterAll, beforeAll, expect, it } from 'vitest';

import type { ExpressionWarning } from '../kinds/admissionregistration/validating-admission-policy/plan-type-checking.ts';
import type { ValidatingAdmissionPolicy } from '../kinds/admissionregistration/validating-admission-policy/schema.ts';
import { buildKindRegistry } from '../kinds/registry.ts';
import { buildHostTypeChecking } from '../operator/controllers/policies/build-host-type-checking.ts';
import type { Controller } from '../operator/controllers/controller-parts.ts';
import type { HostConnection } from '../platform/kube/host-connection.ts';
import { openHostConnection } from '../platform/kube/open-host-connection.ts';
import { systemClock } from '../platform/process/clock.ts';
import { createSilentLogger } from '../platform/process/logger.ts';
import { createHostResourceClient } from '../platform/resources/host-resource-client.ts';
import { describeCluster } from './cluster/describe-cluster.ts';
import { startCluster, type Cluster } from './cluster/start-cluster.ts';
import { waitUntil } from './cluster/wait-until.ts';
import { installCrds } from './crds/install-crds.ts';

const domain = 'bailiwick.dev';
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const text = { type: 'string' };

type Spec = Pick<ValidatingAdmissionPolicy['spec'], 'validations' | 'variables' | 'paramKind'>;

function defineWidgets(spec: object): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: spec } } } },
        },
      ],
    },
  };
}

const widgetSpec = {
  max: { type: 'integer' },
  namespace: text,
  'x-y': text,
  surge: { 'x-kubernetes-int-or-string': true },
  open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { known: text } },
  any: { 'x-kubernetes-preserve-unknown-fields': true },
  embedded: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
  until: { type: 'string', format: 'date-time' },
};

const rules: Readonly<Record<string, readonly [group: string, version: string, resource: string]>> = {
  deployments: ['apps', 'v1', 'deployments'],
  pods: ['', 'v1', 'pods'],
  widgets: ['example.com', 'v1', 'widgets'],
  configmaps: ['', 'v1', 'configmaps'],
  services: ['', 'v1', 'services'],
  namespaces: ['', 'v1', 'namespaces'],
  jobs: ['batch', 'v1', 'jobs'],
  nothings: ['example.com', 'v1', 'nothings'],
};

/** Expressions that are true or false whatever they are checked against, or cannot be compiled only for some types. */
const policies: readonly (readonly [name: string, resources: readonly string[], spec: Spec])[] = [
  ['right', ['deployments'], validate('object.spec.replicas <= 5', "object.metadata.labels['a'] == 'b'")],
  ['unknown-field', ['deployments'], validate('object.spec.replica <= 5', 'object.spec.template.spec.host == ""')],
  [
    'several-kinds',
    ['deployments', 'pods', 'widgets', 'jobs'],
    validate('object.spec.replicas > 1', 'object.spec.max > 1'),
  ],
  ['numbers', ['deployments'], validate('object.spec.replicas <= "5"', 'object.spec.paused == 1')],
  ['lists', ['pods'], validate('object.spec.containers.all(c, c.ports.exists(p, p.containerPort == "80"))')],
  ['surge', ['deployments'], validate('object.spec.strategy.rollingUpdate.maxSurge == 1')],
  ['ports', ['services'], validate('object.spec.ports.all(p, p.targetPort == 80 && p.port == "80")')],
  [
    'times',
    ['pods'],
    validate('object.metadata.creationTimestamp == ""', 'object.status.startTime > timestamp("2020-01-01T00:00:00Z")'),
  ],
  ['bytes', ['configmaps'], validate('object.binaryData["a"] == "b"', 'object.data["a"] == b"b"')],
  [
    'metadata',
    ['widgets', 'namespaces'],
    validate('object.metadata.uid == 1', 'object.metadata.managedFields.all(f, f.fieldsV1.a == 1)'),
  ],
  ['names', ['widgets'], validate('object.spec.namespace == 1', 'object.spec.x__dash__y == 1', 'object.spec.xy == 1')],
  ['open', ['widgets'], validate('object.spec.open.known == 1', 'object.spec.open.other == 1', 'object.spec.any == 1')],
  ['embedded', ['widgets'], validate('object.spec.embedded.metadata.name == 1', 'object.spec.embedded.spec == 1')],
  ['recursive', ['widgets', 'pods'], validate('object.kind == 1', 'object.apiVersion == 1', 'has(object.spec.nope)')],
  ['old', ['deployments'], validate('oldObject.spec.replicas == object.metadata.name', 'oldObject == null')],
  [
    'request',
    ['pods'],
    validate(
      'request.userInfo.username == object.spec.hostNetwork',
      'namespaceObject.metadata.name == object.spec.hostNetwork',
    ),
  ],
  ['authorizer', ['pods'], validate('authorizer.path(object.spec.hostNetwork).check("get").allowed()')],
  ['not-served', ['nothings', 'pods'], validate('object.nope == 1')],
  [
    'messages',
    ['pods'],
    {
      validations: [
        {
          expression: 'object.spec.a == 1',
          messageExpression: '"a" + object.spec.b + string(object.spec.hostNetwork)',
        },
      ],
    },
  ],
  [
    'variables',
    ['deployments'],
    {
      variables: [
        { name: 'replicas', expression: 'object.spec.replicas' },
        { name: 'wrong', expression: 'object.spec.nope' },
        { name: 'containers', expression: 'object.spec.template.spec.containers' },
      ],
      validations: [
        { expression: 'variables.replicas == "1"' },
        { expression: 'variables.wrong == 1' },
        { expression: 'variables.containers.all(c, c.nope == 1)' },
      ],
    },
  ],
  [
    'params',
    ['deployments'],
    {
      ...validate('params.spec.max == object.metadata.name', 'params.nope == 1'),
      ...paramsOf('example.com/v1', 'Widget'),
    },
  ],
  ['params-of-core', ['pods'], { ...validate('params.data["a"] == 1'), ...paramsOf('v1', 'ConfigMap') }],
  [
    'params-of-the-kind',
    ['configmaps'],
    { ...validate('params.data["a"] == object', 'params.data == 1'), ...paramsOf('v1', 'ConfigMap') },
  ],
  ['params-not-served', ['pods'], { ...validate('params.data == 1', 'true'), ...paramsOf('none.io/v1', 'None') }],
  ['lines', ['pods'], { validations: [{ expression: 'true &&\n  object.spec.nope == "é"', message: 'm' }] }],
];

function validate(...expressions: readonly string[]): Spec {
  return { validations: expressions.map((expression) => ({ expression })) };
}

function paramsOf(apiVersion: string, kind: string): Spec {
  return { paramKind: { apiVersion, kind } };
}

function makePolicy(group: string, name: string, resources: readonly string[], spec: Spec): object {
  return {
    apiVersion: `${group}/v1`,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: {
      ...spec,
      failurePolicy: 'Ignore',
      matchConstraints: {
        resourceRules: resources.map((resource) => {
          const [apiGroup, version, plural] = rules[resource]!;
          return { operations: ['CREATE'], apiGroups: [apiGroup], apiVersions: [version], resources: [plural] };
        }),
      },
    },
  };
}

describeCluster('the type checking of policies on a host', () => {
  let cluster: Cluster;
  let connection: HostConnection;
  let controller: Controller;

  beforeAll(async () => {
    // The host's own policies are checked by its controller manager, beside ours.
    cluster = await startCluster({ controllerManager: true });
    await installCrds(cluster, domain);
    expect((await cluster.request('POST', crds, { body: defineWidgets(widgetSpec) })).status).toBe(201);
    await waitUntil('the widgets to be served', async () => {
      return (await cluster.request('GET', '/apis/example.com/v1/widgets')).status === 200;
    });
    // By what is described here Kubernetes judges, and it does not look again.
    await waitUntil('the widgets to be described', async () => {
      const { body } = await cluster.request('GET', '/openapi/v3/apis/example.com/v1');
      return JSON.stringify(body).includes('"kind":"Widget"');
    });
    const common = { clock: systemClock, logger: createSilentLogger() };
    connection = await openHostConnection({ kubeconfig: cluster.kubeconfig, ...common, userAgent: 'suite/1.0' });
    const client = createHostResourceClient({ connection, registry: buildKindRegistry(domain), clock: systemClock });
    controller = buildHostTypeChecking({ ...common, connection, client, domain });
    await controller.start();
  });

  afterAll(async () => {
    await controller?.close();
    connection?.close();
    await cluster?.stop();
  });

  async function create(group: string, name: string, resources: readonly string[], spec: Spec): Promise<void> {
    const path = `/apis/${group}/v1/validatingadmissionpolicies`;
    const { status, body } = await cluster.request('POST', path, { body: makePolicy(group, name, resources, spec) });
    expect({ status, message: body.message }).toMatchObject({ status: 201 });
  }

  /** The warnings of a policy once `check` holds for them. */
  async function awaitWarnings(
    group: string,
    name: string,
    check: (warnings: readonly ExpressionWarning[]) => boolean = () => true,
  ): Promise<readonly ExpressionWarning[]> {
    let warnings: readonly ExpressionWarning[] = [];
    await waitUntil(`the types of ${name} in ${group} to be checked`, async () => {
      const { body } = await cluster.request('GET', `/apis/${group}/v1/validatingadmissionpolicies/${name}`);
      const { metadata, status } = body as unknown as ValidatingAdmissionPolicy;
      if (status?.typeChecking === undefined || status.observedGeneration !== metadata.generation) return false;
      warnings = status.typeChecking.expressionWarnings ?? [];
      return check(warnings);
    });
    return warnings;
  }

  it.for(policies)('finds what the host finds in its own policy: %s', async ([name, resources, spec]) => {
    const groups = [`admissionregistration.${domain}`, 'admissionregistration.k8s.io'] as const;
    for (const group of groups) await create(group, name, resources, spec);
    const [ours, theirs] = await Promise.all(groups.map((group) => awaitWarnings(group, name)));
    // Kubernetes tells types of one name apart by the nanosecond in which each was made.
    const named = theirs!.map((each) => ({
      ...each,
      warning: each.warning.replaceAll(/\b([A-Z][A-Za-z]+)\d{3,}\b/g, '$1'),
    }));
    expect(ours).toEqual(named);
  });

  // Deviations vap-type-checking-quantities and vap-type-checking-authorizer.
  it('knows what Kubernetes 1.34 warns of although it is right', async () => {
    const group = `admissionregistration.${domain}`;
    const right = [
      'object.spec.containers.all(c, quantity(c.resources.limits["cpu"]).isLessThan(quantity("2")))',
      'authorizer.requestResource.check("get").allowed()',
    ];
    await create(group, 'right-here', ['pods'], validate(...right));
    expect(await awaitWarnings(group, 'right-here')).toEqual([]);
    await create('admissionregistration.k8s.io', 'right-here', ['pods'], validate(...right));
    expect(await awaitWarnings('admissionregistration.k8s.io', 'right-here')).toHaveLength(2);
  });

  it('checks again when the definition of a custom resource changes', async () => {
    const group = `admissionregistration.${domain}`;
    await create(group, 'follows', ['widgets'], validate('object.spec.added == 1'));
    expect(await awaitWarnings(group, 'follows')).toHaveLength(1);
    const patch = {
      body: defineWidgets({ ...widgetSpec, added: { type: 'integer' } }),
      headers: { 'content-type': 'application/merge-patch+json' },
    };
    expect((await cluster.request('PATCH', `${crds}/widgets.example.com`, patch)).status).toBe(200);
    expect(await awaitWarnings(group, 'follows', (warnings) => warnings.length === 0)).toEqual([]);
  });

  it('checks when the definition of a custom resource comes later', async () => {
    const group = `admissionregistration.${domain}`;
    await create(group, 'waits', ['nothings'], validate('object.spec.nope == 1'));
    expect(await awaitWarnings(group, 'waits')).toEqual([]);
    const definition = JSON.parse(
      JSON.stringify(defineWidgets({})).replaceAll('widget', 'nothing').replaceAll('Widget', 'Nothing'),
    );
    expect((await cluster.request('POST', crds, { body: definition })).status).toBe(201);
    expect(await awaitWarnings(group, 'waits', (warnings) => warnings.length > 0)).toHaveLength(1);
  });
});
