import type { JsonObject } from '../../../../core/meta/json.ts';
import { define, defineSchema, version, type DefinitionCase } from './definition-case.ts';

const names = { plural: '{name}s', kind: '{Name}' };
const text = { type: 'string' };
const fields = { a: text, b: { type: 'integer' }, c: { type: 'object' }, d: { type: 'array', items: text }, m: { type: 'object', additionalProperties: text } };
const withFields = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: fields }, metadata: { type: 'object' } } } };
const otherSchema = { openAPIV3Schema: { type: 'object', description: 'another' } };

function converting(conversion: JsonObject): JsonObject {
  return define({ conversion });
}

function webhook(clientConfig: JsonObject | undefined, versions: string[] = ['v1']): JsonObject {
  const config = clientConfig === undefined ? {} : { clientConfig };
  return converting({ strategy: 'Webhook', webhook: { ...config, conversionReviewVersions: versions } });
}

function withParts(parts: Record<string, unknown>): JsonObject {
  return define({ versions: [version({ schema: withFields, ...parts })] });
}

function column(parts: JsonObject): JsonObject {
  return withParts({ additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.spec.a', ...parts }] });
}

function scale(parts: JsonObject): JsonObject {
  const paths = { specReplicasPath: '.spec.b', statusReplicasPath: '.status.b', ...parts };
  return withParts({ subresources: { scale: paths } });
}

function selecting(...paths: string[]): JsonObject {
  return withParts({ selectableFields: paths.map((jsonPath) => ({ jsonPath })) });
}

const community = (annotations?: JsonObject): JsonObject => ({
  ...define({ group: 'team.k8s.io' }, { name: '{name}s.team.k8s.io', ...(annotations ? { annotations } : {}) }),
});

/** Definitions that are right or wrong in what is not their schema. */
export const specCases: readonly DefinitionCase[] = [
  { name: 'a minimal definition', definition: define() },
  { name: 'another name', definition: define({}, { name: 'others.example.com' }) },
  { name: 'a name that is none', definition: define({}, { name: 'No_Name' }) },
  { name: 'a generated name', definition: define({}, { name: '{name}s.example.com', generateName: 'a-' }) },
  { name: 'no group', definition: define({ group: '' }) },
  { name: 'a group without dot', definition: define({ group: 'example' }, { name: '{name}s.example' }) },
  { name: 'a group that is none', definition: define({ group: 'Ex_ample.com' }, { name: '{name}s.Ex_ample.com' }) },
  { name: 'no scope', definition: define({ scope: '' }) },
  { name: 'a scope that is none', definition: define({ scope: 'namespaced' }) },
  { name: 'cluster scope', definition: define({ scope: 'Cluster' }) },
  { name: 'no names', definition: define({ names: {} }) },
  { name: 'no kind', definition: define({ names: { plural: '{name}s' } }) },
  { name: 'names that are none', definition: define({ names: { plural: '{Name}s', kind: '{name}_x', singular: 'A', listKind: '1x' } }) },
  { name: 'a kind that is its list', definition: define({ names: { ...names, listKind: '{Name}' } }) },
  { name: 'short names and categories', definition: define({ names: { ...names, shortNames: ['a{name}', 'B', 'c.d'], categories: ['all', 'X'] } }) },
  { name: 'a long plural', definition: define({ names: { ...names, plural: 'a'.repeat(64) } }, { name: `${'a'.repeat(64)}.example.com` }) },
  { name: 'versions that are null', definition: define({ versions: null }) },
  { name: 'no schema', definition: define({ versions: [version({ schema: undefined })] }) },
  { name: 'an empty schema part', definition: define({ versions: [version({ schema: {} })] }) },
  { name: 'no storage version', definition: define({ versions: [version({ storage: false })] }) },
  { name: 'two storage versions', definition: define({ versions: [version(), version({ name: 'v2' })] }) },
  { name: 'the same version twice', definition: define({ versions: [version(), version({ storage: false })] }) },
  { name: 'a version that is none', definition: define({ versions: [version({ name: 'V1' })] }) },
  { name: 'a version without name', definition: define({ versions: [version({ name: '' })] }) },
  { name: 'nothing served', definition: define({ versions: [version({ served: false })] }) },
  { name: 'two versions of one schema', definition: define({ versions: [version(), version({ name: 'v2', storage: false })] }) },
  { name: 'two versions of two schemas', definition: define({ versions: [version(), version({ name: 'v2', storage: false, schema: otherSchema })] }) },
  { name: 'one version without schema', definition: define({ versions: [version(), version({ name: 'v2', storage: false, schema: undefined })] }) },
  { name: 'a fault in one of two schemas', definition: define({ versions: [version(), version({ name: 'v2', storage: false, schema: { openAPIV3Schema: { type: 'object', properties: { a: {} } } } })] }) },
  { name: 'a fault in both of two schemas', definition: define({ versions: [version({ schema: { openAPIV3Schema: { type: 'array' } } }), version({ name: 'v2', storage: false, schema: { openAPIV3Schema: { type: 'array' } } })] }) },
  { name: 'a warning of a version that is not deprecated', definition: define({ versions: [version({ deprecationWarning: 'old' })] }) },
  { name: 'an empty warning', definition: define({ versions: [version({ deprecated: true, deprecationWarning: '' })] }) },
  { name: 'a long warning', definition: define({ versions: [version({ deprecated: true, deprecationWarning: 'a'.repeat(257) })] }) },
  { name: 'a warning', definition: define({ versions: [version({ deprecated: true, deprecationWarning: 'use v2' })] }) },
  { name: 'preserved fields', definition: define({ preserveUnknownFields: true }) },
  { name: 'preserved fields with a default', definition: { ...defineSchema({ type: 'object', properties: { a: { type: 'string', default: 'b' } } }), spec: { ...(defineSchema({ type: 'object', properties: { a: { type: 'string', default: 'b' } } })['spec'] as JsonObject), preserveUnknownFields: true } } },
  { name: 'preserved fields with a webhook', definition: define({ preserveUnknownFields: true, conversion: { strategy: 'Webhook', webhook: { clientConfig: { url: 'https://a' }, conversionReviewVersions: ['v1'] } } }) },
  // Conversion
  { name: 'no strategy', definition: converting({}) },
  { name: 'a strategy that is none', definition: converting({ strategy: 'Never' }) },
  { name: 'no webhook', definition: converting({ strategy: 'Webhook' }) },
  { name: 'a webhook that nobody asks', definition: converting({ strategy: 'None', webhook: { clientConfig: { url: 'https://a' }, conversionReviewVersions: ['v1'] } }) },
  { name: 'a webhook without client', definition: webhook(undefined) },
  { name: 'a webhook without address', definition: webhook({}) },
  { name: 'a webhook with two addresses', definition: webhook({ url: 'https://a', service: { name: 'a', namespace: 'b' } }) },
  { name: 'a webhook by URL', definition: webhook({ url: 'https://example.com/convert' }) },
  { name: 'a webhook by http', definition: webhook({ url: 'http://example.com' }) },
  { name: 'a webhook with user, query and fragment', definition: webhook({ url: 'https://a:b@example.com/x?y=z#f' }) },
  { name: 'a webhook without host', definition: webhook({ url: 'https:///x' }) },
  { name: 'a webhook of no URL', definition: webhook({ url: 'https://a b' }) },
  { name: 'a webhook by service', definition: webhook({ service: { name: 'a', namespace: 'b', path: '/c/d' } }) },
  { name: 'a service without names', definition: webhook({ service: { name: '', namespace: '' } }) },
  { name: 'a service without name', definition: webhook({ service: { name: '', namespace: 'b' } }) },
  { name: 'a service with a port that is none', definition: webhook({ service: { name: 'a', namespace: 'b', port: 0 } }) },
  { name: 'a service with a great port', definition: webhook({ service: { name: 'a', namespace: 'b', port: 70000 } }) },
  { name: 'a service with a wrong path', definition: webhook({ service: { name: 'a', namespace: 'b', path: 'c//D/' } }) },
  { name: 'a service with a path of slashes', definition: webhook({ service: { name: 'a', namespace: 'b', path: '//' } }) },
  { name: 'no review versions', definition: webhook({ url: 'https://a' }, []) },
  { name: 'review versions that nobody knows', definition: webhook({ url: 'https://a' }, ['v2', 'V3', 'v2']) },
  { name: 'a bundle that is none', definition: webhook({ url: 'https://a', caBundle: 'eA==' }) },
  // Columns, subresources, fields
  { name: 'a column', definition: column({ format: 'date-time', priority: 1, description: 'd' }) },
  { name: 'a column without name', definition: column({ name: '' }) },
  { name: 'a column without type', definition: column({ type: '' }) },
  { name: 'a column of a type that is none', definition: column({ type: 'object' }) },
  { name: 'a column of a format that is none', definition: column({ format: 'uuid' }) },
  { name: 'a column without path', definition: column({ jsonPath: '' }) },
  { name: 'a column with a path without dot', definition: column({ jsonPath: 'spec.a' }) },
  { name: 'columns of two versions', definition: define({ versions: [version({ additionalPrinterColumns: [{ name: 'A', type: 'x', jsonPath: '.a' }] }), version({ name: 'v2', storage: false })] }) },
  { name: 'a scale', definition: scale({ labelSelectorPath: '.status.a' }) },
  { name: 'a scale without paths', definition: scale({ specReplicasPath: '', statusReplicasPath: '' }) },
  { name: 'a scale with paths elsewhere', definition: scale({ specReplicasPath: '.status.b', statusReplicasPath: '.spec.b', labelSelectorPath: '.metadata.x' }) },
  { name: 'a scale with paths without dot', definition: scale({ specReplicasPath: 'spec.b', statusReplicasPath: 'status.b', labelSelectorPath: 'a' }) },
  { name: 'a status', definition: withParts({ subresources: { status: {} } }) },
  { name: 'subresources of two versions', definition: define({ versions: [version({ subresources: { scale: { specReplicasPath: 'a', statusReplicasPath: '.status.b' } } }), version({ name: 'v2', storage: false })] }) },
  { name: 'selectable fields', definition: selecting('.spec.a', '.spec.b') },
  { name: 'an empty selectable field', definition: selecting('') },
  { name: 'selectable fields that are not there', definition: selecting('.spec.z', 'spec.a', '.', '..a', '.spec[a]', ".spec['a']", '.spec.a.b') },
  { name: 'selectable fields of wrong types', definition: selecting('.spec.c', '.spec.d', '.spec', '.metadata', '.spec.m.x') },
  { name: 'selectable fields of a schema that is not supported', definition: define({ versions: [version({ schema: { openAPIV3Schema: { type: 'object', id: 'x' } }, selectableFields: [{ jsonPath: 'a' }] })] }) },
  { name: 'the same selectable field twice', definition: selecting('.spec.a', '.spec.a') },
  { name: 'nine selectable fields', definition: define({ versions: [version({ schema: { openAPIV3Schema: { type: 'object', properties: Object.fromEntries('abcdefghi'.split('').map((key) => [key, text])) } }, selectableFields: 'abcdefghi'.split('').map((key) => ({ jsonPath: `.${key}` })) })] }) },
  { name: 'selectable fields of two versions of one schema', definition: define({ versions: [version({ schema: withFields, selectableFields: [{ jsonPath: '.spec.a' }] }), version({ name: 'v2', storage: false, schema: withFields })] }) },
  { name: 'the same selectable fields of two schemas', definition: define({ versions: [version({ schema: withFields, selectableFields: [{ jsonPath: '.spec.a' }] }), version({ name: 'v2', storage: false, schema: otherSchema, selectableFields: [{ jsonPath: '.spec.a' }] })] }) },
  // Approval
  { name: 'a community group without approval', definition: community() },
  { name: 'a community group with a wrong approval', definition: community({ 'api-approved.kubernetes.io': 'yes' }) },
  { name: 'a community group with a relative approval', definition: community({ 'api-approved.kubernetes.io': '/x' }) },
  { name: 'a community group with approval', definition: community({ 'api-approved.kubernetes.io': 'https://example.com/x' }) },
  { name: 'a community group that says it is unapproved', definition: community({ 'api-approved.kubernetes.io': 'unapproved, a test' }) },
  { name: 'unknown formats', definition: define({ versions: [version({ schema: { openAPIV3Schema: { type: 'object', properties: { a: { type: 'string', format: 'int7' }, b: { type: 'integer', format: 'int7' }, c: { type: 'string', format: 'date-time' }, d: { type: 'string', format: 'k8s-short-name' } } } } })] }) },
  // Changes
  { name: 'a change of nothing', definition: define(), change: () => undefined },
  { name: 'a change of the group', definition: define(), change: (spec) => void (spec['group'] = 'example.org') },
  { name: 'a change of the plural', definition: define(), change: (spec) => void ((spec['names'] as JsonObject)['plural'] = 'others') },
  { name: 'a change of scope and kind', definition: define(), change: (spec) => { spec['scope'] = 'Cluster'; (spec['names'] as JsonObject)['kind'] = 'Other'; } },
  { name: 'a change of singular and short names', definition: define(), change: (spec) => { (spec['names'] as JsonObject)['singular'] = 'one{name}'; (spec['names'] as JsonObject)['shortNames'] = ['s{name}']; } },
  { name: 'a version that was stored goes', definition: define(), change: (spec) => void (spec['versions'] = [version({ name: 'v2' })]) },
  { name: 'another storage version', definition: define(), change: (spec) => void (spec['versions'] = [version({ storage: false }), version({ name: 'v2' })]) },
  { name: 'fields are preserved later', definition: define(), change: (spec) => void (spec['preserveUnknownFields'] = true) },
  { name: 'a wrong bundle later', definition: define(), change: (spec) => void (spec['conversion'] = { strategy: 'Webhook', webhook: { clientConfig: { url: 'https://a', caBundle: 'eA==' }, conversionReviewVersions: ['v1'] } }) },
  { name: 'the approval goes', definition: community({ 'api-approved.kubernetes.io': 'https://example.com/x' }), change: (_, definition) => void ((definition['metadata'] as JsonObject)['annotations'] = {}) },
  { name: 'another approval', definition: community({ 'api-approved.kubernetes.io': 'https://example.com/x' }), change: (_, definition) => void ((definition['metadata'] as JsonObject)['annotations'] = { 'api-approved.kubernetes.io': 'https://example.com/y' }) },
  { name: 'a format that was unknown before', definition: define({ versions: [version({ schema: { openAPIV3Schema: { type: 'object', properties: { a: { type: 'string', format: 'int7' } } } } })] }), change: (spec) => void (spec['versions'] = [version({ schema: { openAPIV3Schema: { type: 'object', properties: { a: { type: 'string', format: 'int7' }, b: { type: 'string', format: 'int8' } } } } })]) },
  { name: 'a schema goes', definition: define(), change: (spec) => void (spec['versions'] = [version({ schema: undefined })]) },
];
