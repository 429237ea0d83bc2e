import type { z } from 'zod';
import { kindSchema } from '../../object-schemas.ts';
import {
  atomicList,
  choice,
  filled,
  omitted,
  pointer,
  required,
  resourceList,
  struct,
  text,
} from '../../schema-vocabulary.ts';

const V1 = 'io.k8s.api.core.v1';

/** The scopes that a quota may name. */
export const quotaScopes = [
  'BestEffort',
  'CrossNamespacePodAffinity',
  'NotBestEffort',
  'NotTerminating',
  'PriorityClass',
  'Terminating',
  'VolumeAttributesClass',
] as const;

const requirementSchema = struct(
  {
    definition: `${V1}.ScopedResourceSelectorRequirement`,
    description: 'Requires a relation between a scope and values.',
  },
  {
    scopeName: required(choice(quotaScopes, 'v1.ResourceQuotaScope'), 'Scope that the requirement is about.'),
    operator: required(
      choice(['In', 'NotIn', 'Exists', 'DoesNotExist'], 'v1.ScopeSelectorOperator'),
      'Relation between the scope and the values.',
    ),
    values: omitted(atomicList(text()), 'Values of In and NotIn; empty for Exists and DoesNotExist.'),
  },
);

/** Schema of the scope selector. */
export const scopeSelectorSchema = struct(
  {
    definition: `${V1}.ScopeSelector`,
    mapType: 'atomic',
    description: 'Requirements on scopes, all of which must hold.',
  },
  { matchExpressions: omitted(atomicList(requirementSchema), 'The requirements.') },
);

const specSchema = struct(
  { definition: `${V1}.ResourceQuotaSpec`, description: 'The limits to enforce, and the objects they count.' },
  {
    hard: omitted(resourceList(), 'Limit of each named resource.'),
    scopes: omitted(
      atomicList(choice(quotaScopes, 'v1.ResourceQuotaScope')),
      'Filters that an object must match to be counted; none counts every object.',
    ),
    scopeSelector: pointer(scopeSelectorSchema, 'Filters with operators; an object must match these and the scopes.'),
  },
);

const statusSchema = struct(
  { definition: `${V1}.ResourceQuotaStatus`, description: 'The limits in force and what is used of them.' },
  {
    hard: omitted(resourceList(), 'Limits in force.'),
    used: omitted(resourceList(), 'Observed use in the namespace.'),
  },
);

/** Schema of ResourceQuota. */
export const resourceQuotaSchema = kindSchema(`${V1}.ResourceQuota`, 'Limits what a namespace may use in total.', {
  spec: filled(specSchema, 'The desired limits.'),
  status: filled(statusSchema, 'The limits in force and their use.'),
});

/** Aggregate limits of a namespace ("ResourceQuota"). */
export type ResourceQuota = z.infer<typeof resourceQuotaSchema>;
/** Desired limits of a ResourceQuota. */
export type ResourceQuotaSpec = z.infer<typeof specSchema>;
/** One requirement of a scope selector. */
export type ScopeRequirement = z.infer<typeof requirementSchema>;
