import type { X509Certificate } from 'node:crypto';

import { readAuthoritySecret } from '../../../platform/certificates/authority-secret.ts';
import type { Authority, ServingFacts } from '../../../platform/certificates/certificate-facts.ts';
import { matchesPrivateKey } from '../../../platform/certificates/read-certificate.ts';
import { readSecretText, secretsResource } from '../../../platform/certificates/serving-secret.ts';
import type { SecretObject } from '../../../platform/certificates/serving-secret.ts';
import type { ReleaseNames } from '../../../platform/release/release-names.ts';
import type { ResourceClient } from '../../../platform/resources/resource-client.ts';
import {
  apiServices,
  mutatingConfigurations,
  nameApiServices,
  readBundle,
  readCaBundle,
  validatingConfigurations,
} from '../../../platform/certificates/certificate-objects.ts';
import type {
  ApiServiceObject,
  WebhookConfigurationObject,
} from '../../../platform/certificates/certificate-objects.ts';
import { getIfPresent } from '../../../platform/resources/get-if-present.ts';

/** A certificate to keep: its Secret, the Service in front of it, and names beyond the Service's. */
export interface KeptCertificate {
  readonly label: 'webhooks' | 'operator';
  readonly secret: string;
  readonly service: string;
  readonly subjectNames: readonly string[];
}

/** What is stored about certificates at one time. */
export interface StoredCertificates {
  readonly authoritySecret: SecretObject | undefined;
  readonly authorities: readonly Authority[];
  readonly servingSecrets: ReadonlyMap<string, SecretObject>;
  readonly serving: readonly ServingFacts[];
  /** Those of the release that there are. */
  readonly apiServices: readonly ApiServiceObject[];
  /** Every bundle that somebody checks with: those of the Secrets, of the webhook configurations and of the APIServices. */
  readonly bundles: readonly (readonly X509Certificate[])[];
}

/** Names of a certificate: the Service's, loopback's for a forwarded port, and `more`. */
export function listSubjectNames(service: string, namespace: string, more: readonly string[] = []): string[] {
  const names = [service, `${service}.${namespace}`, `${service}.${namespace}.svc`];
  return [...names, `${service}.${namespace}.svc.cluster.local`, 'localhost', '127.0.0.1', '::1', ...more];
}

function readServingFacts(kept: KeptCertificate, secret: SecretObject | undefined): ServingFacts {
  const { secret: name, subjectNames } = kept;
  if (secret === undefined) return { secret: name, subjectNames, bundle: [] };
  const chain = readBundle(readSecretText(secret, 'tls.crt'));
  const bundle = readBundle(readSecretText(secret, 'ca.crt'));
  const isWhole = chain[0] !== undefined && matchesPrivateKey(chain[0], readSecretText(secret, 'tls.key'));
  return { secret: name, subjectNames, bundle, ...(isWhole ? { chain } : {}) };
}

/** Reads everything anew: what is decided from it is written with the resourceVersions that were read. */
export async function gatherCertificates(options: {
  readonly client: ResourceClient;
  readonly names: ReleaseNames;
  readonly namespace: string;
  readonly domain: string;
  readonly hasAgents: boolean;
  readonly kept: readonly KeptCertificate[];
}): Promise<StoredCertificates> {
  const { client, names, namespace, kept } = options;
  const getSecret = (name: string): Promise<SecretObject | undefined> =>
    getIfPresent<SecretObject>(client, { resource: secretsResource, namespace, name });
  const getConfiguration = (resource: typeof mutatingConfigurations): Promise<WebhookConfigurationObject | undefined> =>
    getIfPresent<WebhookConfigurationObject>(client, { resource, name: names.webhookConfiguration });
  const [authoritySecret, mutating, validating, services, ...secrets] = await Promise.all([
    getSecret(names.authority),
    getConfiguration(mutatingConfigurations),
    getConfiguration(validatingConfigurations),
    Promise.all(
      nameApiServices(options).map((name) => getIfPresent<ApiServiceObject>(client, { resource: apiServices, name })),
    ),
    ...kept.map((one) => getSecret(one.secret)),
  ]);
  const serving = kept.map((one, index) => readServingFacts(one, secrets[index]));
  const webhooks = [...(mutating?.webhooks ?? []), ...(validating?.webhooks ?? [])];
  return {
    authoritySecret,
    authorities: authoritySecret === undefined ? [] : readAuthoritySecret(authoritySecret),
    servingSecrets: new Map(
      secrets.flatMap((secret, index) => (secret === undefined ? [] : [[kept[index]?.secret ?? '', secret]])),
    ),
    serving,
    apiServices: services.filter((service) => service !== undefined),
    bundles: [
      ...serving.map((one) => one.bundle),
      ...webhooks.map((webhook) => readCaBundle(webhook.clientConfig?.caBundle)),
      ...services.flatMap((service) => (service === undefined ? [] : [readCaBundle(service.spec?.caBundle)])),
    ],
  };
}
