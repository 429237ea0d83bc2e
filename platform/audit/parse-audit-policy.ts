import { parse } from 'yaml';
import { z } from 'zod';
import type { FieldError } from '../../core/errors/field-error.ts';
import { FieldPath } from '../../core/errors/field-path.ts';
import { formatFieldError, makeInvalid, makeNotSupported, makeRequired } from '../../core/errors/make-field-error.ts';
import { checkDns1123Subdomain } from '../../core/validation/names.ts';
import { auditLevels, auditStages } from './audit-event.ts';
import type { AuditedResources, AuditPolicy } from './audit-policy.ts';

/** What a policy file says. Its warnings name fields that mean nothing. */
export type ParsedAuditPolicy =
  { readonly policy: AuditPolicy; readonly warnings: readonly string[] } | { readonly faults: readonly string[] };

const apiVersion = 'audit.k8s.io/v1';
const textSchema = z
  .string()
  .nullish()
  .transform((value) => value ?? '');
const textsSchema = z
  .array(z.string())
  .nullish()
  .transform((values) => values ?? []);

const resourcesSchema = z.strictObject({ group: textSchema, resources: textsSchema, resourceNames: textsSchema });

const ruleSchema = z.strictObject({
  level: textSchema,
  users: textsSchema,
  userGroups: textsSchema,
  verbs: textsSchema,
  resources: z
    .array(resourcesSchema)
    .nullish()
    .transform((values) => values ?? []),
  namespaces: textsSchema,
  nonResourceURLs: textsSchema,
  omitStages: textsSchema,
  omitManagedFields: z
    .boolean()
    .nullish()
    .transform((value) => value ?? undefined),
});

const policySchema = z.strictObject({
  apiVersion: textSchema,
  kind: textSchema,
  metadata: z.unknown().optional(),
  rules: z
    .array(ruleSchema)
    .nullish()
    .transform((values) => values ?? []),
  omitStages: textsSchema,
  omitManagedFields: z
    .boolean()
    .nullish()
    .transform((value) => value ?? false),
});

type Issue = z.core.$ZodIssue;

function formatPlace(path: readonly PropertyKey[]): string {
  let place = '';
  for (const step of path) {
    place += typeof step === 'number' ? `[${step}]` : `${place === '' ? '' : '.'}${String(step)}`;
  }
  return place;
}

function listUnknownFields(issue: Issue): { place: readonly PropertyKey[]; key: string }[] {
  return issue.code === 'unrecognized_keys' ? issue.keys.map((key) => ({ place: issue.path, key })) : [];
}

/** Removes a member in place. */
function dropMember(root: unknown, place: readonly PropertyKey[], key: string): void {
  let at = root as Record<PropertyKey, unknown>;
  for (const step of place) at = at[step] as Record<PropertyKey, unknown>;
  delete at[key];
}

function checkStages(stages: readonly string[], path: FieldPath): FieldError[] {
  return stages.flatMap((stage, index) =>
    (auditStages as readonly string[]).includes(stage)
      ? []
      : [makeInvalid(path.index(index), stage, `allowed stages are ${auditStages.join(',')}`)],
  );
}

function checkPaths(urls: readonly string[], path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, url] of urls.entries()) {
    if (url === '*') continue;
    const at = path.index(index);
    if (!url.startsWith('/')) {
      errors.push(makeInvalid(at, url, "non-resource URL rules must begin with a '/' character"));
    }
    if (url.slice(0, -1).includes('*')) {
      errors.push(makeInvalid(at, url, "non-resource URL wildcards '*' must be the final character of the rule"));
    }
  }
  return errors;
}

function checkResources(resources: readonly AuditedResources[], path: FieldPath): FieldError[] {
  return resources.flatMap(({ group, resources: names, resourceNames }) => {
    const errors: FieldError[] = [];
    const faults = group === '' ? [] : checkDns1123Subdomain(group);
    if (faults.length > 0) errors.push(makeInvalid(path.child('group'), group, faults.join(',')));
    if (resourceNames.length > 0 && names.length === 0) {
      const detail = 'using resourceNames requires at least one resource';
      errors.push(makeInvalid(path.child('resourceNames'), resourceNames, detail));
    }
    return errors;
  });
}

function checkRule(rule: z.infer<typeof ruleSchema>, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (rule.level === '') errors.push(makeRequired(path.child('level'), ''));
  else if (!(auditLevels as readonly string[]).includes(rule.level)) {
    errors.push(makeNotSupported(path.child('level'), rule.level, auditLevels));
  }
  errors.push(...checkPaths(rule.nonResourceURLs, path.child('nonResourceURLs')));
  errors.push(...checkResources(rule.resources, path.child('resources')));
  errors.push(...checkStages(rule.omitStages, path.child('omitStages')));
  if (rule.nonResourceURLs.length > 0 && (rule.resources.length > 0 || rule.namespaces.length > 0)) {
    const detail = 'rules cannot apply to both regular resources and non-resource URLs';
    errors.push(makeInvalid(path.child('nonResourceURLs'), rule.nonResourceURLs, detail));
  }
  return errors;
}

function parseDocument(text: string): { readonly value: unknown } | { readonly fault: string } {
  try {
    return { value: parse(text) };
  } catch (error) {
    return { fault: `failed decoding: ${(error as Error).message.split('\n', 1)[0]}` };
  }
}

/** Reads a policy file in Kubernetes' format, YAML or JSON. Fields that mean nothing are warned about and left out. */
export function parseAuditPolicy(text: string): ParsedAuditPolicy {
  const document = parseDocument(text);
  if ('fault' in document) return { faults: [document.fault] };
  const { value } = document;
  let read = policySchema.safeParse(value);
  const unknown = (read.error?.issues ?? []).flatMap(listUnknownFields);
  const warnings = unknown.map(({ place, key }) => `unknown field "${formatPlace([...place, key])}"`);
  if (unknown.length > 0) {
    for (const { place, key } of unknown) dropMember(value, place, key);
    read = policySchema.safeParse(value);
  }
  if (read.error !== undefined) {
    return { faults: read.error.issues.map(({ path, message }) => `${formatPlace(path) || 'policy'}: ${message}`) };
  }
  const { data } = read;
  if (data.apiVersion !== apiVersion || data.kind !== 'Policy') {
    return { faults: [`unknown group version field ${data.apiVersion}, Kind=${data.kind} in policy`] };
  }
  const errors = [
    ...checkStages(data.omitStages, FieldPath.root('omitStages')),
    ...data.rules.flatMap((rule, index) => checkRule(rule, FieldPath.root('rules').index(index))),
  ];
  if (errors.length > 0) return { faults: errors.map(formatFieldError) };
  if (data.rules.length === 0) return { faults: ['loaded illegal policy with 0 rules'] };
  // Levels and stages were held against the lists above.
  const { rules, omitStages, omitManagedFields } = data as unknown as AuditPolicy;
  return { policy: { rules, omitStages, omitManagedFields }, warnings };
}
