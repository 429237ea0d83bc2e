import type { JsonObject } from '../../core/meta/json.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import { formatApiVersion, parseApiVersion } from '../../core/meta/resource-name.ts';
import type { KindName, NamedKind, PolicyRequest } from '../../kinds/admissionregistration/policy/policy-request.ts';
import type { AdmissionAttributes } from '../admission-plugin.ts';

function nameKind(kind: string, apiVersion: string): KindName {
  return { ...(parseApiVersion(apiVersion) ?? { group: '', version: apiVersion }), kind };
}

function toJson(object: KubeObject | undefined): JsonObject | null {
  return object === undefined ? null : (object as unknown as JsonObject);
}

/** A request as policies see it; shares the objects of `attributes`. A Namespace is in itself, as Kubernetes' admission has it. */
export function makePolicyRequest(attributes: AdmissionAttributes, equivalents: readonly NamedKind[]): PolicyRequest {
  const { operation, resource, kind, kindApiVersion, subresource = '', requested, dryRun, user, options } = attributes;
  const isNamespace = resource.group === '' && resource.resource === 'namespaces';
  return {
    operation,
    resource,
    kind: nameKind(kind, kindApiVersion ?? formatApiVersion(resource.group, resource.version)),
    subresource,
    name: attributes.name,
    namespace: attributes.namespace ?? (isNamespace ? attributes.name : ''),
    object: toJson(attributes.object),
    oldObject: toJson(attributes.oldObject),
    options: options ?? null,
    dryRun,
    user,
    ...(requested === undefined
      ? {}
      : {
          requested: {
            resource: requested.resource,
            subresource: requested.subresource ?? '',
            kind: nameKind(requested.kind, requested.kindApiVersion),
          },
        }),
    equivalents,
  };
}
