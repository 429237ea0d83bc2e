import type { X509Certificate } from 'node:crypto';

import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { ResourceName } from '../../core/meta/resource-name.ts';
import { readCertificates } from './read-certificate.ts';

/** A webhook configuration as far as certificates need it. */
export interface WebhookConfigurationObject extends KubeObject {
  webhooks?: { clientConfig?: { caBundle?: string } }[];
}

/** An APIService as far as certificates need it. */
export interface ApiServiceObject extends KubeObject {
  spec?: { caBundle?: string; insecureSkipTLSVerify?: boolean };
}

export const mutatingConfigurations: ResourceName = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  resource: 'mutatingwebhookconfigurations',
};
export const validatingConfigurations: ResourceName = {
  ...mutatingConfigurations,
  resource: 'validatingwebhookconfigurations',
};
export const apiServices: ResourceName = { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices' };

/** Names of the APIServices of a release: that of the review kinds, and that of node agents where there are some. */
export function nameApiServices({ domain, hasAgents }: { domain: string; hasAgents: boolean }): string[] {
  return [`v1.review.${domain}`, ...(hasAgents ? [`v1.node.${domain}`] : [])];
}

/** The certificates of a PEM text; empty when it cannot be read. */
export function readBundle(text: string): X509Certificate[] {
  try {
    return readCertificates(text);
  } catch {
    return [];
  }
}

/** The certificates of a `caBundle` (base64 of PEM); empty when it is absent or cannot be read. */
export function readCaBundle(caBundle: string | undefined): X509Certificate[] {
  return readBundle(Buffer.from(caBundle ?? '', 'base64').toString('utf8'));
}
