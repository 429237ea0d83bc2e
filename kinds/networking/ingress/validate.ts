import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeInvalid, makeNotSupported, makeRequired } from '../../../core/errors/make-field-error.ts';
import { parseIp, validateLegacyIp } from '../../../core/validation/ip.ts';
import {
  checkDns1035Label,
  checkDns1123Label,
  checkDns1123Subdomain,
  checkWildcardDns1123Subdomain,
} from '../../../core/validation/names.ts';
import type { HttpIngressPath, Ingress, IngressRule, IngressTls } from './schema.ts';
import { validateBackend } from './validate-backend.ts';
import type { BackendTolerance } from './validate-backend.ts';

/** The annotation that named the class before spec.ingressClassName did. */
export const classAnnotation = 'kubernetes.io/ingress.class';

interface Tolerance extends BackendTolerance {
  readonly invalidSecretNames: boolean;
  readonly invalidWildcardRules: boolean;
}

const NO_TOLERANCE: Tolerance = { relaxedServiceNames: false, invalidSecretNames: false, invalidWildcardRules: false };
const invalidSequences = ['//', '/./', '/../', '%2f', '%2F'];
const invalidSuffixes = ['/..', '/.'];
const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix'];

function checkHost(host: string): string[] {
  return host.includes('*') ? checkWildcardDns1123Subdomain(host) : checkDns1123Subdomain(host);
}

function validatePathText(path: string, pathType: string, at: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const isFree = pathType === 'ImplementationSpecific';
  if (!path.startsWith('/') && !(isFree && path === '')) errors.push(makeInvalid(at, path, 'must be an absolute path'));
  if (isFree) return errors;
  for (const sequence of invalidSequences) {
    if (path.includes(sequence)) errors.push(makeInvalid(at, path, `must not contain '${sequence}'`));
  }
  for (const suffix of invalidSuffixes) {
    if (path.endsWith(suffix)) errors.push(makeInvalid(at, path, `cannot end with '${suffix}'`));
  }
  return errors;
}

function validatePath(entry: HttpIngressPath, at: FieldPath, tolerance: BackendTolerance): FieldError[] {
  const { pathType, path = '' } = entry;
  if (pathType === undefined) return [makeRequired(at.child('pathType'), 'pathType must be specified')];
  const errors = pathTypes.includes(pathType)
    ? validatePathText(path, pathType, at.child('path'))
    : [makeNotSupported(at.child('pathType'), pathType, pathTypes)];
  return [...errors, ...validateBackend(entry.backend, at.child('backend'), tolerance)];
}

function validateRuleValue(rule: IngressRule, at: FieldPath, tolerance: BackendTolerance): FieldError[] {
  if (rule.http === undefined) return [];
  const path = at.child('http', 'paths');
  const paths = rule.http.paths ?? [];
  if (paths.length === 0) return [makeRequired(path, '')];
  return paths.flatMap((entry, i) => validatePath(entry, path.index(i), tolerance));
}

function validateRule(rule: IngressRule, at: FieldPath, tolerance: Tolerance): FieldError[] {
  const { host = '' } = rule;
  const errors: FieldError[] = [];
  if (host !== '') {
    if (parseIp(host) !== undefined) {
      errors.push(makeInvalid(at.child('host'), host, 'must be a DNS name, not an IP address'));
    }
    errors.push(...checkHost(host).map((fault) => makeInvalid(at.child('host'), host, fault)));
  }
  if (host.includes('*') && tolerance.invalidWildcardRules) return errors;
  return [...errors, ...validateRuleValue(rule, at, tolerance)];
}

function checkSecretName(name: string): string[] {
  return name === '' ? [] : checkDns1123Subdomain(name);
}

function validateTls(tls: IngressTls, at: FieldPath, tolerance: Tolerance): FieldError[] {
  const errors = (tls.hosts ?? []).flatMap((host, i) =>
    checkHost(host).map((fault) => makeInvalid(at.child('hosts').index(i), host, fault)),
  );
  if (tolerance.invalidSecretNames) return errors;
  const { secretName = '' } = tls;
  return [
    ...errors,
    ...checkSecretName(secretName).map((fault) => makeInvalid(at.child('secretName'), secretName, fault)),
  ];
}

function validateSpec({ spec }: Ingress, tolerance: Tolerance): FieldError[] {
  const path = FieldPath.root('spec');
  const { rules = [], tls = [], defaultBackend, ingressClassName } = spec;
  const errors: FieldError[] = [];
  if (rules.length === 0 && defaultBackend === undefined) {
    errors.push(makeInvalid(path, spec.rules ?? null, 'either `defaultBackend` or `rules` must be specified'));
  }
  if (defaultBackend !== undefined) {
    errors.push(...validateBackend(defaultBackend, path.child('defaultBackend'), tolerance));
  }
  errors.push(...rules.flatMap((rule, i) => validateRule(rule, path.child('rules').index(i), tolerance)));
  errors.push(...tls.flatMap((entry, i) => validateTls(entry, path.child('tls').index(i), tolerance)));
  if (ingressClassName !== undefined) {
    const faults = checkDns1123Subdomain(ingressClassName);
    errors.push(...faults.map((fault) => makeInvalid(path.child('ingressClassName'), ingressClassName, fault)));
  }
  return errors;
}

function readTolerance({ spec }: Ingress): Tolerance {
  const rules = spec.rules ?? [];
  const services = rules.flatMap((rule) =>
    (rule.http?.paths ?? []).flatMap(({ backend }) => backend.service?.name ?? []),
  );
  return {
    invalidSecretNames: (spec.tls ?? []).some(({ secretName = '' }) => checkSecretName(secretName).length > 0),
    invalidWildcardRules: rules.some(
      (rule) => rule.host?.includes('*') === true && validateRuleValue(rule, FieldPath.empty, NO_TOLERANCE).length > 0,
    ),
    relaxedServiceNames: services.some(
      (name) => checkDns1123Label(name).length === 0 && checkDns1035Label(name).length > 0,
    ),
  };
}

/** Faults of a new Ingress ("Ingress"). The legacy annotation, when set too, must name the same class as the field. */
export function validateIngress(ingress: Ingress): FieldError[] {
  const errors = validateSpec(ingress, NO_TOLERANCE);
  const annotation = ingress.metadata.annotations?.[classAnnotation];
  const className = ingress.spec.ingressClassName;
  if (annotation !== undefined && className !== undefined && annotation !== className) {
    const detail = 'must match `ingressClassName` when both are specified';
    errors.push(makeInvalid(FieldPath.root('annotations').child(classAnnotation), annotation, detail));
  }
  return errors;
}

/** Faults of a changed Ingress; some that the stored one has already are let pass. */
export function validateIngressUpdate(ingress: Ingress, old: Ingress): FieldError[] {
  return validateSpec(ingress, readTolerance(old));
}

/** Faults of an Ingress' status; addresses that the stored one has already are let pass. */
export function validateIngressStatus(ingress: Ingress, old: Ingress): FieldError[] {
  const path = FieldPath.root('status', 'loadBalancer', 'ingress');
  const oldIps = new Set((old.status.loadBalancer.ingress ?? []).map(({ ip }) => ip));
  return (ingress.status.loadBalancer.ingress ?? []).flatMap(({ ip = '', hostname = '' }, i) => {
    const at = path.index(i);
    const errors = ip === '' || oldIps.has(ip) ? [] : validateLegacyIp(ip, at.child('ip'));
    if (hostname === '') return errors;
    errors.push(...checkDns1123Subdomain(hostname).map((fault) => makeInvalid(at.child('hostname'), hostname, fault)));
    if (parseIp(hostname) !== undefined) {
      errors.push(makeInvalid(at.child('hostname'), hostname, 'must be a DNS name, not an IP address'));
    }
    return errors;
  });
}
