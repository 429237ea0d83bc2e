import type { KubeObject } from '../../core/meta/kube-object.ts';
import { readBundle } from '../../platform/certificates/certificate-objects.ts';
import type { ServingCertificate } from '../../platform/certificates/certificate-source.ts';
import { findTrustAnchor, readCertificates } from '../../platform/certificates/read-certificate.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { Logger } from '../../platform/process/logger.ts';
import { getIfPresent } from '../../platform/resources/get-if-present.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';

interface BundleObject extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** Where it is read what the operator trusts. */
export interface TrustCheckOptions {
  readonly client: ResourceClient;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Absent: it is not known. */
  readonly authorities?: { readonly namespace: string; readonly name: string };
  /** Absent: every five minutes. */
  readonly everyMillis?: number;
}

const configMaps = { group: '', version: 'v1', resource: 'configmaps' };
/** Authorities change once a year; many agents ask. */
const defaultEveryMillis = 300_000;

/** Tells whether a certificate leads to what the operator trusts, looked at from time to time, or now; `undefined` while that is not known. */
export function makeTrustCheck(options: TrustCheckOptions) {
  const { client, clock, logger, authorities, everyMillis = defaultEveryMillis } = options;
  let bundle = '';
  let readMillis = Number.NEGATIVE_INFINITY;

  async function readAgain(isDue: boolean): Promise<void> {
    const ageMillis = clock.now() - readMillis;
    const isFresh = ageMillis >= 0 && ageMillis < everyMillis;
    if (authorities === undefined || (isFresh && !isDue)) return;
    readMillis = clock.now();
    try {
      const object = await getIfPresent<BundleObject>(client, { resource: configMaps, ...authorities });
      bundle = object?.data?.['ca.crt'] ?? '';
    } catch (error) {
      logger.warn({ err: error }, 'what the operator trusts could not be read');
    }
  }

  return async ({ certificate }: ServingCertificate, isDue: boolean): Promise<boolean | undefined> => {
    await readAgain(isDue);
    const roots = readBundle(bundle);
    if (roots.length === 0) return undefined;
    return findTrustAnchor(readCertificates(certificate), roots, clock.now()) !== undefined;
  };
}
