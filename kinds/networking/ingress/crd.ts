import { namePatterns } from '../../../core/validation/names.ts';
import {
  hostField,
  ipv4Pattern,
  optionalSubdomainField,
  pathSegmentField,
  portNamePatterns,
  subdomainField,
  wholePattern,
} from '../../crd-fields.ts';
import type { CrdFieldNotes, CrdFields, CrdNotes } from '../../crd-notes.ts';

/** Hosts of one Ingress, and paths of one host. */
const MAX_RULES = 500;
const MAX_PATHS = 1000;
const MAX_PORT = 65_535;

const requiredSegment: CrdFieldNotes = { ...pathSegmentField, minLength: 1 };
const optional = (pattern: string): string => `${pattern}|^$`;
// Sequences and ends that a path of Exact or Prefix must not have.
const BAD_PATH = String.raw`//|/\.\.?/|%2[fF]|/\.\.?$`;

function backendFields(path: string): CrdFields {
  return {
    [path]: {
      rules: [
        { rule: '!has(self.service) || !has(self.resource)', message: 'cannot set both resource and service backends' },
        { rule: 'has(self.service) || has(self.resource)', message: 'resource or service backend is required' },
      ],
    },
    [`${path}.service`]: { required: ['name', 'port'] },
    [`${path}.service.name`]: wholePattern(namePatterns.dns1035Label, 63),
    [`${path}.service.port`]: {
      rules: [
        {
          rule: "!has(self.name) || self.name == '' || !has(self.number) || self.number == 0",
          message: 'cannot set both port name & port number',
        },
        {
          rule: "(has(self.name) && self.name != '') || (has(self.number) && self.number != 0)",
          message: 'port name or number is required',
          reason: 'FieldValueRequired',
        },
      ],
    },
    [`${path}.service.port.name`]: {
      maxLength: 15,
      allOf: portNamePatterns.map((pattern) => ({ pattern: optional(pattern) })),
    },
    [`${path}.service.port.number`]: { minimum: 0, maximum: MAX_PORT },
    [`${path}.resource`]: { required: ['kind', 'name'] },
    [`${path}.resource.apiGroup`]: subdomainField,
    [`${path}.resource.kind`]: requiredSegment,
    [`${path}.resource.name`]: requiredSegment,
  };
}

const pathFields: CrdFields = {
  'spec.rules[].http': { required: ['paths'] },
  'spec.rules[].http.paths': { minItems: 1, maxItems: MAX_PATHS },
  'spec.rules[].http.paths[]': {
    required: ['pathType', 'backend'],
    anyOf: [
      { properties: { pathType: { enum: ['ImplementationSpecific'] }, path: { pattern: '^(/|$)' } } },
      {
        properties: {
          pathType: { enum: ['Exact', 'Prefix'] },
          path: { pattern: '^/', not: { pattern: BAD_PATH } },
        },
        required: ['path'],
      },
    ],
  },
};

/** What the CustomResourceDefinition of Ingress says beyond the schema. */
export const ingressCrd: CrdNotes = {
  columns: [
    {
      name: 'Class',
      type: 'string',
      description: 'IngressClass whose controller serves this.',
      priority: 0,
      jsonPath: '.spec.ingressClassName',
    },
    {
      name: 'Hosts',
      type: 'string',
      description: 'Hosts that the rules are for.',
      priority: 0,
      jsonPath: '.spec.rules[*].host',
    },
    {
      name: 'Address',
      type: 'string',
      description: 'Points where traffic enters.',
      priority: 0,
      jsonPath: ".status.loadBalancer.ingress[*]['ip','hostname']",
    },
    {
      name: 'TLS',
      type: 'string',
      description: 'Hosts whose TLS is terminated.',
      priority: 1,
      jsonPath: '.spec.tls[*].hosts[*]',
    },
    { name: 'Age', type: 'date', description: 'Age.', priority: 0, jsonPath: '.metadata.creationTimestamp' },
  ],
  fields: {
    '': { required: ['spec'] },
    spec: {
      rules: [
        {
          rule: 'has(self.defaultBackend) || (has(self.rules) && size(self.rules) > 0)',
          message: 'either `defaultBackend` or `rules` must be specified',
        },
      ],
    },
    'spec.ingressClassName': subdomainField,
    'spec.rules': { maxItems: MAX_RULES },
    'spec.rules[].host': {
      ...wholePattern(`(${hostField.pattern?.slice(2, -2) ?? ''})?`, 253),
      not: { pattern: ipv4Pattern },
    },
    ...pathFields,
    ...backendFields('spec.defaultBackend'),
    ...backendFields('spec.rules[].http.paths[].backend'),
    'spec.tls[].hosts[]': hostField,
    'spec.tls[].secretName': optionalSubdomainField,
    'status.loadBalancer.ingress[].ip': { anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }, { maxLength: 0 }] },
    'status.loadBalancer.ingress[].hostname': { ...optionalSubdomainField, not: { pattern: ipv4Pattern } },
    'status.loadBalancer.ingress[].ports[].protocol': { allowsOthers: true },
  },
  exceptions: [
    {
      rule: 'Ingress.annotations.class',
      effect: 'not-refused',
      reason: 'CEL on a host sees no annotations.',
    },
    {
      rule: 'Ingress.spec.backend.resource.apiGroup.absent',
      effect: 'not-defaulted',
      reason: 'A definition cannot default to null; absent means the same.',
    },
    {
      rule: 'Ingress.spec.rules.null',
      effect: 'refused',
      reason: 'A null in a list stands for an empty object in the API service; a schema of a host wants the object.',
      example: {
        apiVersion: 'networking.{domain}/v1',
        kind: 'Ingress',
        metadata: { name: 'example' },
        spec: { rules: [null] },
      },
    },
  ],
};
