import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formatFieldError } from '../core/errors/make-field-error.ts';
import type { KubeObject } from '../core/meta/kube-object.ts';
import { locateKind } from './locate-kind.ts';
import { buildKindRegistry, policyKinds } from './registry.ts';

type Fields = KubeObject & { spec: unknown; status?: unknown };

const context = { domain: 'bailiwick.dev', nowMillis: 0 };
const registry = buildKindRegistry(context.domain);

function strategyOf(kind: string) {
  const found = registry.kinds.find((candidate) => candidate.kind === kind);
  if (found === undefined) throw new Error(`no kind ${kind}`);
  return found.strategy;
}

function readFull(folder: string): Fields {
  const [first] = JSON.parse(readFileSync(`${folder}/testdata/full.defaulted.json`, 'utf8')) as Fields[];
  if (first === undefined) throw new Error(`no object in ${folder}`);
  return first;
}

function networkPolicy(cidr: string, ...except: string[]): KubeObject {
  return {
    apiVersion: 'networking.bailiwick.dev/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'a' },
    spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr, except } }] }] },
  } as KubeObject;
}

function ingress(metadata: object, spec: object, points: object[] = []): KubeObject {
  return {
    apiVersion: 'networking.bailiwick.dev/v1',
    kind: 'Ingress',
    metadata: { name: 'a', ...metadata },
    spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } }, ...spec },
    status: { loadBalancer: { ingress: points } },
  } as unknown as KubeObject;
}

const withStatus = policyKinds.filter((kind) => kind.strategy.status !== undefined);

describe('strategies', () => {
  it('have a status for the kinds that the specification gives one', () => {
    expect(withStatus.map((kind) => kind.kind)).toEqual([
      'ResourceQuota',
      'Ingress',
      'PodDisruptionBudget',
      'FlowSchema',
      'PriorityLevelConfiguration',
      'ValidatingAdmissionPolicy',
    ]);
  });

  it('keep the generation of every kind but quotas and ranges', () => {
    const without = policyKinds.filter((kind) => kind.strategy.generationFields === undefined);
    expect(without.map((kind) => kind.kind)).toEqual(['ResourceQuota', 'LimitRange']);
  });

  it('ask for a resourceVersion where Kubernetes does', () => {
    const conditional = policyKinds.filter((kind) => kind.strategy.allowUnconditionalUpdate === false);
    expect(conditional.map((kind) => kind.kind)).toEqual([
      'PodDisruptionBudget',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionPolicyBinding',
    ]);
  });

  it('create by PUT limit ranges only', () => {
    const creating = policyKinds.filter((kind) => kind.strategy.allowCreateOnUpdate === true);
    expect(creating.map((kind) => kind.kind)).toEqual(['LimitRange']);
  });
});

describe.for(withStatus.map((kind) => [kind.kind, kind] as const))('the status of %s', ([, kind]) => {
  const full = readFull(locateKind(kind));

  it('is reset when an object is created', () => {
    const object = structuredClone(full);
    kind.strategy.prepareForCreate(object, context);
    expect(object.status).not.toEqual(full.status);
    expect(object.spec).toEqual(full.spec);
  });

  it('is kept when the object is updated', () => {
    const object = structuredClone({ ...full, status: {} });
    const old = structuredClone(full);
    kind.strategy.prepareForUpdate(object, old, context);
    expect(object).toEqual(full);
    expect(object.status).not.toBe(old.status);
  });

  it('is all that a write of the status changes', () => {
    const object = structuredClone({ ...full, spec: {}, status: {} });
    const old = structuredClone(full);
    kind.strategy.status?.prepareForUpdate(object, old, context);
    expect(object).toEqual({ ...full, status: {} });
    expect(object.spec).not.toBe(old.spec);
  });
});

describe('metadata in a write of the status', () => {
  it.for([
    ['FlowSchema', false],
    ['PriorityLevelConfiguration', false],
    ['ValidatingAdmissionPolicy', false],
    ['Ingress', true],
    ['PodDisruptionBudget', true],
    ['ResourceQuota', true],
  ] as const)('of %s changes: %s', ([name, changes]) => {
    const kind = policyKinds.find((candidate) => candidate.kind === name);
    if (kind === undefined) throw new Error(`no kind ${name}`);
    const old = readFull(locateKind(kind));
    const object = structuredClone(old);
    object.metadata = {
      ...object.metadata,
      labels: { new: 'label' },
      resourceVersion: '7',
      managedFields: [{ manager: 'm' }],
    };
    kind.strategy.status?.prepareForUpdate(object, old, context);
    expect(object.metadata).toEqual({
      ...old.metadata,
      ...(changes ? { labels: { new: 'label' } } : {}),
      resourceVersion: '7',
      managedFields: [{ manager: 'm' }],
    });
  });
});

describe('warnings', () => {
  it('tell of ranges in an unusual notation', () => {
    const { warnOnCreate, warnOnUpdate } = strategyOf('NetworkPolicy');
    const policy = networkPolicy('10.1.2.3/8', '10.1.0.0/16');
    const warnings = [
      'spec.ingress[0].from[0].ipBlock.cidr: CIDR value "10.1.2.3/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.1.2.3/32"?)',
    ];
    expect(warnOnCreate?.(policy, context)).toEqual(warnings);
    expect(warnOnUpdate?.(policy, policy, context)).toEqual(warnings);
    expect(warnOnCreate?.(networkPolicy('10.0.0.0/8'), context)).toEqual([]);
  });

  it('tell of the legacy annotation of a new Ingress that has no class', () => {
    const { warnOnCreate } = strategyOf('Ingress');
    const metadata = { annotations: { 'kubernetes.io/ingress.class': 'a' } };
    expect(warnOnCreate?.(ingress(metadata, {}), context)).toEqual([
      `annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`,
    ]);
    expect(warnOnCreate?.(ingress(metadata, { ingressClassName: 'a' }), context)).toEqual([]);
    expect(warnOnCreate?.(ingress({}, {}), context)).toEqual([]);
  });

  it('tell of addresses in an unusual notation in the status of an Ingress', () => {
    const { status } = strategyOf('Ingress');
    const object = ingress({}, {}, [{ ip: '010.0.0.1' }, { ip: '10.0.0.1' }]);
    expect(status?.warnOnUpdate?.(object, object, context)).toEqual([
      'status.loadBalancer.ingress[0]: non-standard IP address "010.0.0.1" will be considered invalid in a future Kubernetes release: use "10.0.0.1"',
    ]);
  });
});

describe('updates', () => {
  it('let ranges pass that the stored network policy has already', () => {
    const { validateUpdate } = strategyOf('NetworkPolicy');
    const old = networkPolicy('bad');
    expect(validateUpdate(networkPolicy('bad'), old, context).length).toBe(1);
    expect(validateUpdate(networkPolicy('worse'), old, context).length).toBe(2);
  });

  it('let faults pass that the stored Ingress has already', () => {
    const { validateUpdate } = strategyOf('Ingress');
    const spec = {
      tls: [{ secretName: 'Not Valid' }],
      rules: [
        { host: '*.foo', http: { paths: [] } },
        {
          http: {
            paths: [{ pathType: 'Exact', path: '/', backend: { service: { name: '1a', port: { number: 1 } } } }],
          },
        },
      ],
    };
    expect(validateUpdate(ingress({}, spec), ingress({}, spec), context)).toEqual([]);
    expect(validateUpdate(ingress({}, spec), ingress({}, {}), context).map(({ field }) => field)).toEqual([
      'spec.rules[0].http.paths',
      'spec.rules[1].http.paths[0].backend.service.name',
      'spec.tls[0].secretName',
    ]);
  });

  it('do not compare the legacy annotation of an Ingress with its class', () => {
    const object = ingress({ annotations: { 'kubernetes.io/ingress.class': 'a' } }, { ingressClassName: 'b' });
    expect(strategyOf('Ingress').validateUpdate(object, object, context)).toEqual([]);
  });
});

describe('validation', () => {
  it('returns every fault at once, in the order of the fields', () => {
    const budget = {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'a' },
      spec: { minAvailable: -1, maxUnavailable: '101%', selector: {}, unhealthyPodEvictionPolicy: 'Never' },
    } as KubeObject;
    expect(strategyOf('PodDisruptionBudget').validateCreate(budget, context).map(formatFieldError)).toEqual([
      'spec: Invalid value: {"MinAvailable":-1,"Selector":{},"MaxUnavailable":"101%","UnhealthyPodEvictionPolicy":"Never"}: minAvailable and maxUnavailable cannot be both set',
      'spec.minAvailable: Invalid value: -1: must be greater than or equal to 0',
      'spec.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
      'spec.unhealthyPodEvictionPolicy: Unsupported value: "Never": supported values: "AlwaysAllow", "IfHealthyBudget"',
    ]);
  });

  it('takes keys of a quota that are names of Object.prototype', () => {
    const hard = JSON.parse('{"__proto__":"1","constructor":"1"}') as object;
    const quota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'a' },
      spec: { hard },
      status: {},
    } as KubeObject;
    const strategy = strategyOf('ResourceQuota');
    strategy.applyDefaults(quota, context);
    const fields = strategy.validateCreate(quota, context).map(({ field }) => field);
    expect(fields).toContain('spec.hard[__proto__]');
    expect(fields).toContain('spec.hard[constructor]');
  });
});
