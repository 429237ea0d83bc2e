import { create, patch, read, type DifferentialStep } from '../differential-case.ts';

/** Collections of the kinds that the cases about verbs use, in the namespace of a case. */
export const collections = {
  configMaps: '/api/v1/namespaces/{{ns}}/configmaps',
  deployments: '/apis/apps/v1/namespaces/{{ns}}/deployments',
  ingressClasses: '/apis/networking.k8s.io/v1/ingressclasses',
  ingresses: '/apis/networking.k8s.io/v1/namespaces/{{ns}}/ingresses',
  limitRanges: '/api/v1/namespaces/{{ns}}/limitranges',
  networkPolicies: '/apis/networking.k8s.io/v1/namespaces/{{ns}}/networkpolicies',
  pods: '/api/v1/namespaces/{{ns}}/pods',
  budgets: '/apis/policy/v1/namespaces/{{ns}}/poddisruptionbudgets',
  quotas: '/api/v1/namespaces/{{ns}}/resourcequotas',
} as const;

/** A ConfigMap; `more` are its other members, `metadata` those beside its name. */
export function makeConfigMap(name: string, more: object = {}, metadata: object = {}): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, ...more };
}

/** An Ingress with one rule, for a host. */
export function makeIngress(name: string, spec: object = {}, metadata: object = {}): object {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name, ...metadata },
    spec: { rules: [makeIngressRule('a.example')], ...spec },
  };
}

/** A rule of an Ingress that sends everything to one service. */
export function makeIngressRule(host: string): object {
  const backend = { service: { name: 's', port: { number: 80 } } };
  return { host, http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } };
}

/** A NetworkPolicy for all pods. */
export function makePolicy(name: string, spec: object = {}, metadata: object = {}): object {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name, ...metadata },
    spec: { podSelector: {}, ...spec },
  };
}

/** A PodDisruptionBudget that is as its spec says. */
export function makeBudget(name: string, spec: object | undefined, more: object = {}): object {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name },
    ...(spec && { spec }),
    ...more,
  };
}

/** A Deployment of one replica with these containers. */
export function makeDeployment(
  name: string,
  containers: unknown = [{ name: 'c', image: 'x' }],
  spec: object = {},
): object {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } }, ...spec },
  };
}

/** A Pod with one container. */
export function makePod(name: string, spec: object = {}, metadata: object = {}): object {
  const containers = [{ name: 'c', image: 'x' }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, ...metadata }, spec: { containers, ...spec } };
}

/** A patch and the rest of its query, after the `?`; what it leads to may be an explained difference. */
export type PatchRow = readonly [body: unknown, query?: string, deviation?: string];

/** For each row a fresh object, which is patched and read. `make` makes one of a name. */
export function patchEach(
  type: Parameters<typeof patch>[0],
  collection: string,
  make: (name: string) => object,
  rows: readonly PatchRow[],
): DifferentialStep[] {
  return rows.flatMap(([body, query, deviation], index) => {
    const path = `${collection}/o${index}`;
    return [
      create(collection, make(`o${index}`), { compares: 'status' }),
      patch(type, query === undefined ? path : `${path}?${query}`, body, deviation === undefined ? {} : { deviation }),
      read(path),
    ];
  });
}

/** A server-side apply by a manager; `query` is what follows in the query. */
export function apply(path: string, manager: string, body: unknown, query = ''): DifferentialStep {
  return patch('apply', `${path}?fieldManager=${manager}${query}`, body);
}

/** The names of requests that only read, in their order. */
export function readEach(paths: readonly string[]): DifferentialStep[] {
  return paths.map((path) => read(path));
}
