import type { FieldError } from '../../../core/errors/field-error.ts';
import type { FieldPath } from '../../../core/errors/field-path.ts';
import { makeForbidden, makeInvalid, makeNotSupported, makeRequired } from '../../../core/errors/make-field-error.ts';
import { checkDns1123Label, checkDns1123Subdomain } from '../../../core/validation/names.ts';
import type { FlowSubject, NonResourcePolicyRule, PolicyRules, ResourcePolicyRule } from './schema.ts';

/** Verbs that a rule may name, beside `*`. */
export const flowVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];
const fieldOfKind: ReadonlyMap<string, 'serviceAccount' | 'user' | 'group'> = new Map([
  ['ServiceAccount', 'serviceAccount'],
  ['User', 'user'],
  ['Group', 'group'],
] as const);
const NAMESPACE_INTRO = "each member of this list must be '*' or a DNS-1123 label; ";

function validateServiceAccount(account: NonNullable<FlowSubject['serviceAccount']>, path: FieldPath): FieldError[] {
  const { name, namespace } = account;
  const errors: FieldError[] = [];
  if (name === '') errors.push(makeRequired(path.child('name'), ''));
  else if (name !== '*') {
    errors.push(...checkDns1123Subdomain(name).map((fault) => makeInvalid(path.child('name'), name, fault)));
  }
  const namespacePath = path.child('namespace');
  if (namespace === '') errors.push(makeRequired(namespacePath, 'must specify namespace for service account'));
  else errors.push(...checkDns1123Label(namespace).map((fault) => makeInvalid(namespacePath, namespace, fault)));
  return errors;
}

function validateSubject(subject: FlowSubject, path: FieldPath): FieldError[] {
  const field = fieldOfKind.get(subject.kind);
  if (field === undefined) {
    return [makeNotSupported(path.child('kind'), subject.kind, [...fieldOfKind.keys()].sort())];
  }
  const errors: FieldError[] = [];
  const at = path.child(field);
  if (subject[field] === undefined) {
    errors.push(makeRequired(at, `${field} is required when subject kind is '${subject.kind}'`));
  } else if (field === 'serviceAccount' && subject.serviceAccount !== undefined) {
    errors.push(...validateServiceAccount(subject.serviceAccount, at));
  } else if (subject[field].name === '') {
    errors.push(makeRequired(at.child('name'), ''));
  }
  for (const [kind, other] of fieldOfKind) {
    if (other !== field && subject[other] !== undefined) {
      errors.push(makeForbidden(path.child(other), `${other} is forbidden when subject kind is not '${kind}'`));
    }
  }
  return errors;
}

function validateVerbs(list: readonly string[], path: FieldPath): FieldError[] {
  if (list.length === 0) return [makeRequired(path, 'verbs must contain at least one value')];
  if (list.includes('*')) return validateWildcard(list, 'verbs', path);
  return list.every((verb) => flowVerbs.includes(verb)) ? [] : [makeNotSupported(path, list, flowVerbs)];
}

function validateWildcard(list: readonly string[], others: string, path: FieldPath): FieldError[] {
  if (!list.includes('*') || list.length === 1) return [];
  return [makeInvalid(path, list, `if '*' is present, must not specify other ${others}`)];
}

function checkNonResourceUrl(path: string): string | undefined {
  if (path === '') return 'must not be empty';
  if (path === '/') return undefined;
  if (!path.startsWith('/')) return 'must start with slash';
  if (path.includes(' ')) return 'must not contain white-space';
  if (path.includes('//')) return 'must not contain double slash';
  const wildcards = path.split('*').length - 1;
  return wildcards > 1 || (wildcards === 1 && !path.endsWith('/*'))
    ? 'wildcard can only do suffix matching'
    : undefined;
}

function validateNonResourceRule(rule: NonResourcePolicyRule, path: FieldPath): FieldError[] {
  const errors = validateVerbs(rule.verbs ?? [], path.child('verbs'));
  const urls = rule.nonResourceURLs ?? [];
  const urlsPath = path.child('nonResourceURLs');
  if (urls.length === 0) return [...errors, makeRequired(urlsPath, 'nonResourceURLs must contain at least one value')];
  if (urls.includes('*')) return [...errors, ...validateWildcard(urls, 'non-resource URLs', urlsPath)];
  for (const [i, url] of urls.entries()) {
    const fault = checkNonResourceUrl(url);
    if (fault !== undefined) errors.push(makeInvalid(urlsPath.index(i), url, fault));
  }
  return errors;
}

function validateNamespaces(rule: ResourcePolicyRule, path: FieldPath): FieldError[] {
  const namespaces = rule.namespaces ?? [];
  if (namespaces.length === 0) {
    if (rule.clusterScope === true) return [];
    const detail = 'resource rules that are not cluster scoped must supply at least one namespace';
    return [makeRequired(path, detail)];
  }
  if (namespaces.includes('*')) return validateWildcard(namespaces, 'namespaces', path);
  return namespaces.flatMap((namespace, i) =>
    checkDns1123Label(namespace).map((fault) => makeInvalid(path.index(i), namespace, NAMESPACE_INTRO + fault)),
  );
}

function validateResourceRule(rule: ResourcePolicyRule, path: FieldPath): FieldError[] {
  const apiGroups = rule.apiGroups ?? [];
  const resources = rule.resources ?? [];
  return [
    ...validateVerbs(rule.verbs ?? [], path.child('verbs')),
    ...(apiGroups.length === 0
      ? [makeRequired(path.child('apiGroups'), 'resource rules must supply at least one api group')]
      : validateWildcard(apiGroups, 'api groups', path.child('apiGroups'))),
    ...(resources.length === 0
      ? [makeRequired(path.child('resources'), 'resource rules must supply at least one resource')]
      : validateWildcard(resources, 'resources', path.child('resources'))),
    ...validateNamespaces(rule, path.child('namespaces')),
  ];
}

/** Faults of one entry of `spec.rules`. */
export function validatePolicyRules(rules: PolicyRules, path: FieldPath): FieldError[] {
  const { resourceRules = [], nonResourceRules = [] } = rules;
  const subjects = rules.subjects ?? [];
  const subjectsPath = path.child('subjects');
  const errors = subjects.flatMap((subject, i) => validateSubject(subject, subjectsPath.index(i)));
  if (subjects.length === 0) errors.push(makeRequired(subjectsPath, 'subjects must contain at least one value'));
  if (resourceRules.length === 0 && nonResourceRules.length === 0) {
    errors.push(makeRequired(path, 'at least one of resourceRules and nonResourceRules has to be non-empty'));
  }
  return [
    ...errors,
    ...resourceRules.flatMap((rule, i) => validateResourceRule(rule, path.child('resourceRules').index(i))),
    ...nonResourceRules.flatMap((rule, i) => validateNonResourceRule(rule, path.child('nonResourceRules').index(i))),
  ];
}
