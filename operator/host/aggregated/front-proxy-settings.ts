import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { readCertificates } from '../../../platform/certificates/read-certificate.ts';

/** Whom a host lets speak for others, and in which headers they do; header names are in lower case. */
export interface FrontProxySettings {
  /** Authorities of the proxies' client certificates, as PEM text. */
  readonly authorities: string;
  /** SHA-256 of each authority's certificate, in lower-case hex. */
  readonly fingerprints: ReadonlySet<string>;
  /** Common names that a proxy's certificate may have; empty: any that an authority vouches for. */
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraPrefixes: readonly string[];
}

/** The ConfigMap in which a host publishes them, in the namespace kube-system. */
export const frontProxyConfigMap = {
  resource: { group: '', version: 'v1', resource: 'configmaps' },
  namespace: 'kube-system',
  name: 'extension-apiserver-authentication',
} as const;

export interface ConfigMapObject extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

function readTexts(text: string | undefined): string[] {
  if (text === undefined || text === '') return [];
  const value: unknown = JSON.parse(text);
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) throw new Error('no list of texts');
  return value;
}

/**
 * Reads the settings that a host publishes; `undefined` when it has no front proxy. Throws when they cannot be read: then nobody may be
 * believed.
 */
export function readFrontProxySettings(configMap: ConfigMapObject | undefined): FrontProxySettings | undefined {
  const data = configMap?.data ?? {};
  const authorities = data['requestheader-client-ca-file'] ?? '';
  if (authorities.trim() === '') return undefined;
  const list = (name: string): string[] => readTexts(data[`requestheader-${name}`]);
  const lower = (name: string): string[] => list(name).map((header) => header.toLowerCase());
  const usernameHeaders = lower('username-headers');
  if (usernameHeaders.length === 0) return undefined;
  return {
    authorities,
    fingerprints: new Set(
      readCertificates(authorities).map(({ fingerprint256 }) => fingerprint256.replaceAll(':', '').toLowerCase()),
    ),
    allowedNames: list('allowed-names'),
    usernameHeaders,
    uidHeaders: lower('uid-headers'),
    groupHeaders: lower('group-headers'),
    extraPrefixes: lower('extra-headers-prefix'),
  };
}
