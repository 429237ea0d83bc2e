import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeInvalid, makeRequired, makeTooLong } from '../../../core/errors/make-field-error.ts';
import { setOwn } from '../../../core/meta/json.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type { WorkloadRules } from '../../workloads/define-workload-kind.ts';
import { ensureObject, fillField, readText, readTexts } from '../../workloads/read-field.ts';
import { validateImmutable } from '../../workloads/validate-immutable.ts';
import { countDecodedBytes, maxDataBytes, validateDataKeys, validateFrozen } from '../config-map/rules.ts';

const path = FieldPath.root('data');
const accountAnnotation = 'kubernetes.io/service-account.name';
const dockerKeys: Readonly<Record<string, string>> = {
  'kubernetes.io/dockercfg': '.dockercfg',
  'kubernetes.io/dockerconfigjson': '.dockerconfigjson',
};

/** Texts are another way to write the data; they are never kept. */
function mergeStringData(secret: KubeObject): void {
  const texts = readTexts(secret, 'stringData');
  for (const [key, text] of Object.entries(texts)) {
    setOwn(ensureObject(secret, 'data'), key, Buffer.from(text).toString('base64'));
  }
  delete (secret as KubeObject & JsonObject)['stringData'];
}

function validateDockerConfig(data: Readonly<Record<string, string>>, key: string): FieldError[] {
  const text = data[key];
  if (text === undefined) return [makeRequired(path.key(key), '')];
  try {
    JSON.parse(Buffer.from(text, 'base64').toString());
    return [];
  } catch {
    // What the parser says may quote the secret.
    return [makeInvalid(path.key(key), '<secret contents redacted>', 'must be valid JSON')];
  }
}

function validateType(secret: KubeObject, data: Readonly<Record<string, string>>): FieldError[] {
  const type = readText(secret, 'type');
  const requireKeys = (...keys: string[]): FieldError[] => keys.map((key) => makeRequired(path.key(key), ''));
  const isMissing = (key: string): boolean => data[key] === undefined;
  switch (type) {
    case 'kubernetes.io/service-account-token': {
      const own = FieldPath.root('metadata', 'annotations').key(accountAnnotation);
      return secret.metadata.annotations?.[accountAnnotation] ? [] : [makeRequired(own, '')];
    }
    case 'kubernetes.io/basic-auth':
      return isMissing('username') && isMissing('password') ? requireKeys('username', 'password') : [];
    case 'kubernetes.io/ssh-auth':
      return data['ssh-privatekey'] ? [] : requireKeys('ssh-privatekey');
    case 'kubernetes.io/tls':
      return requireKeys(...['tls.crt', 'tls.key'].filter(isMissing));
    default: {
      const key = dockerKeys[type];
      return key === undefined ? [] : validateDockerConfig(data, key);
    }
  }
}

function validate(secret: KubeObject): FieldError[] {
  const data = readTexts(secret, 'data');
  const errors = validateDataKeys(data, path);
  const size = Object.values(data).reduce((sum, text) => sum + countDecodedBytes(text), 0);
  if (size > maxDataBytes) errors.push(makeTooLong(path, '', maxDataBytes));
  return [...errors, ...validateType(secret, data)];
}

/** How secrets are written. */
export const secretRules: WorkloadRules = {
  applyDefaults(secret) {
    mergeStringData(secret);
    fillField(secret, 'type', 'Opaque');
  },
  validate,
  validateUpdate: (secret, old) => [
    ...validateImmutable(readText(secret, 'type'), readText(old, 'type'), FieldPath.root('type')),
    ...validateFrozen(secret, old, ['data']),
    ...validate(secret),
  ],
};
