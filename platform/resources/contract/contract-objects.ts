import type { Status } from '../../../core/errors/status.ts';
import { StatusError } from '../../../core/errors/status.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { formatApiVersion, type ResourceName } from '../../../core/meta/resource-name.ts';

/** An API object with its further fields readable. */
export interface AnyObject extends KubeObject {
  [key: string]: unknown;
}

/** The kind of the namespaces that tests are in. */
export const namespaces: ResourceName = { group: '', version: 'v1', resource: 'namespaces' };
/** A built-in kind of every host. */
export const configMaps: ResourceName = { group: '', version: 'v1', resource: 'configmaps' };
/** A kind of ours that a host has under another group. */
export const limitRanges: ResourceName = { group: '', version: 'v1', resource: 'limitranges' };
/** The same, with a status subresource. */
export const quotas: ResourceName = { group: '', version: 'v1', resource: 'resourcequotas' };
const networkPolicies: ResourceName = { group: 'networking.bailiwick.dev', version: 'v1', resource: 'networkpolicies' };

/** A resource, its kind, and what an object of it has. */
export const kindRows: [ResourceName, string, JsonObject][] = [
  [configMaps, 'ConfigMap', { data: { a: '1' } }],
  [limitRanges, 'LimitRange', { spec: { limits: [{ type: 'Container', max: { cpu: '2' } }] } }],
  [networkPolicies, 'NetworkPolicy', { spec: { podSelector: { matchLabels: { app: 'x' } }, policyTypes: ['Egress'] } }],
];

/** An object of a kind with what else it has. */
export function make(resource: ResourceName, kind: string, name: string, rest: JsonObject = {}): AnyObject {
  return {
    apiVersion: formatApiVersion(resource.group, resource.version),
    kind,
    metadata: { name },
    ...rest,
  };
}

/** A ConfigMap. */
export const makeMap = (name: string, data: Record<string, string> = {}): AnyObject =>
  make(configMaps, 'ConfigMap', name, { data });

/** A LimitRange. */
export const makeRange = (name: string, cpu = '2'): AnyObject =>
  make(limitRanges, 'LimitRange', name, { spec: { limits: [{ type: 'Container', max: { cpu } }] } });

/** A ResourceQuota. */
export const makeQuota = (name: string, pods = '1'): AnyObject =>
  make(quotas, 'ResourceQuota', name, { spec: { hard: { pods } } });

/** The Status of the refusal; fails when there is none. */
export async function refusalOf(call: Promise<unknown>): Promise<Status> {
  const error: unknown = await call.then(
    (value) => ({ value }),
    (thrown: unknown) => thrown,
  );
  if (error instanceof StatusError) return error.status;
  if (error instanceof Error) throw error;
  throw new Error(`it was no refusal: ${JSON.stringify(error)}`);
}

/** Names of objects, sorted. */
export const names = (objects: readonly KubeObject[]): string[] =>
  objects.map(({ metadata }) => metadata.name ?? '').toSorted();
