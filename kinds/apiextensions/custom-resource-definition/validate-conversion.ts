import { fromByteString } from '../../../core/cel/libraries/url/byte-string.ts';
import { parseUrl } from '../../../core/cel/libraries/url/parse-url.ts';
import type { FieldError } from '../../../core/errors/field-error.ts';
import type { FieldPath } from '../../../core/errors/field-path.ts';
import { makeForbidden, makeInvalid, makeNotSupported, makeRequired } from '../../../core/errors/make-field-error.ts';
import { checkDns1035Label, checkDns1123Subdomain, checkPortNumber } from '../../../core/validation/names.ts';
import type { DefinedConversion } from './custom-resource-definition.ts';
import { describeCaBundleFault } from './describe-ca-bundle-fault.ts';

type ClientConfig = NonNullable<NonNullable<DefinedConversion['webhook']>['clientConfig']>;

const urlForm = '; desired format: https://host[/path]';
const reviewVersions = ['v1', 'v1beta1'];
const strategies = ['None', 'Webhook'];

function validateUrl(text: string, path: FieldPath): FieldError[] {
  const url = parseUrl(text);
  if ('fault' in url) return [makeRequired(path, `url must be a valid URL: ${url.fault}${urlForm}`)];
  const errors: FieldError[] = [];
  if (url.scheme !== 'https') {
    errors.push(makeInvalid(path, url.scheme, `'https' is the only allowed URL scheme${urlForm}`));
  }
  if (url.host === '') errors.push(makeInvalid(path, url.host, `host must be specified${urlForm}`));
  if (url.user !== undefined) {
    const { name, password } = url.user;
    const user = fromByteString(password === undefined ? name : `${name}:${password}`);
    errors.push(makeInvalid(path, user, 'user information is not permitted in the URL'));
  }
  if (url.fragment !== '') {
    errors.push(makeInvalid(path, fromByteString(url.fragment), 'fragments are not permitted in the URL'));
  }
  if (url.query !== '') {
    errors.push(makeInvalid(path, fromByteString(url.query), 'query parameters are not permitted in the URL'));
  }
  return errors;
}

function validateServicePath(text: string, path: FieldPath): FieldError[] {
  if (text === '/' || text === '') return [];
  if (text === '//') return [makeInvalid(path, text, 'segment[0] may not be empty')];
  const errors = text.startsWith('/') ? [] : [makeInvalid(path, text, "must start with a '/'")];
  const segments = text.slice(1).replace(/\/$/, '').split('/');
  for (const [index, segment] of segments.entries()) {
    const faults = segment === '' ? ['may not be empty'] : checkDns1123Subdomain(segment).map((fault) => fault);
    for (const fault of faults) {
      const where = segment === '' ? `segment[${index}] ${fault}` : `segment[${index}]: ${fault}`;
      errors.push(makeInvalid(path, text, where));
    }
  }
  return errors;
}

function validateService(service: NonNullable<ClientConfig['service']>, path: FieldPath): FieldError[] {
  const { namespace, name, port = 0 } = service;
  const portFaults = checkPortNumber(port);
  return [
    // Kubernetes takes one for the other here, and its users read of the other.
    ...(namespace === '' ? [makeRequired(path.child('name'), '')] : []),
    ...(name === '' ? [makeRequired(path.child('namespace'), '')] : []),
    ...(portFaults.length > 0
      ? [makeInvalid(path.child('port'), port, `port is not valid: ${portFaults.join(', ')}`)]
      : []),
    ...(service.path === undefined ? [] : validateServicePath(service.path, path.child('path'))),
  ];
}

function validateClient(config: ClientConfig | undefined, mayBeWrong: boolean, path: FieldPath): FieldError[] {
  if (config === undefined) return [makeRequired(path, 'required when strategy is set to Webhook')];
  const { caBundle = '' } = config;
  const fault = mayBeWrong ? undefined : describeCaBundleFault(caBundle);
  const bundleErrors = fault === undefined ? [] : [makeInvalid(path.child('caBundle'), caBundle, fault)];
  return [...validateAddress(config, path), ...bundleErrors];
}

function validateAddress({ url, service }: ClientConfig, path: FieldPath): FieldError[] {
  if (url !== undefined && service === undefined) return validateUrl(url, path.child('url'));
  if (url === undefined && service !== undefined) return validateService(service, path.child('service'));
  return [makeRequired(path, 'exactly one of url or service is required')];
}

function validateReviewVersions(versions: readonly string[], path: FieldPath): FieldError[] {
  if (versions.length === 0) return [makeRequired(path, '')];
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, version] of versions.entries()) {
    if (seen.has(version)) {
      errors.push(makeInvalid(path.index(index), version, 'duplicate version'));
      continue;
    }
    seen.add(version);
    for (const fault of checkDns1035Label(version)) errors.push(makeInvalid(path.index(index), version, fault));
  }
  if (!versions.some((version) => reviewVersions.includes(version))) {
    errors.push(makeInvalid(path, versions, `must include at least one of ${reviewVersions.join(', ')}`));
  }
  return errors;
}

/** Faults of how objects are converted; `allowsWrongBundle`: certificates that nobody can read are no fault. */
export function validateConversion(
  conversion: DefinedConversion | undefined,
  allowsWrongBundle: boolean,
  path: FieldPath,
): FieldError[] {
  if (conversion === undefined) return [];
  const { strategy, webhook } = conversion;
  const errors: FieldError[] = [];
  if (strategy === '') errors.push(makeRequired(path.child('strategy'), ''));
  else if (!strategies.includes(strategy)) {
    errors.push(makeNotSupported(path.child('strategy'), strategy, strategies));
  }
  const configPath = path.child('webhookClientConfig');
  const versionsPath = path.child('conversionReviewVersions');
  const versions = webhook?.conversionReviewVersions ?? [];
  if (strategy === 'Webhook') {
    return [
      ...errors,
      ...validateClient(webhook?.clientConfig, allowsWrongBundle, configPath),
      ...validateReviewVersions(versions, versionsPath),
    ];
  }
  const detail = 'should not be set when strategy is not set to Webhook';
  if (webhook?.clientConfig !== undefined) errors.push(makeForbidden(configPath, detail));
  if (versions.length > 0) errors.push(makeForbidden(versionsPath, detail));
  return errors;
}
