import type { X509Certificate } from 'node:crypto';

/** An authority of the installation. Without its key it is only still to be trusted. */
export interface Authority {
  readonly certificate: X509Certificate;
  /** PEM text; absent when nothing is to be signed with it any more. */
  readonly privateKey?: string;
}

/** One certificate that is to be kept in a Secret. */
export interface ServingFacts {
  /** Name of the Secret. */
  readonly secret: string;
  readonly subjectNames: readonly string[];
  /** What the Secret holds; absent when there is no Secret, or nothing in it that can be read and has its key. */
  readonly chain?: readonly X509Certificate[];
  /** The authorities in the Secret's `ca.crt`; empty when there are none that can be read. */
  readonly bundle: readonly X509Certificate[];
}

/** What one replica was seen to serve; `certificate` is absent when it could not be asked. */
export interface ServedFacts {
  readonly certificate?: X509Certificate;
}

/** Periods that certificates are made for and changed with. */
export interface CertificateSettings {
  readonly authorityValidityMillis: number;
  readonly servingValidityMillis: number;
  /** How long everybody who calls must have trusted an authority before it signs, and how long a replaced one stays trusted. */
  readonly settleMillis: number;
}

export const defaultCertificateSettings: CertificateSettings = {
  authorityValidityMillis: 730 * 86_400_000,
  servingValidityMillis: 90 * 86_400_000,
  settleMillis: 60_000,
};

/** Everything that the plan of certificates looks at. */
export interface CertificateFacts {
  readonly nowMillis: number;
  readonly settings: CertificateSettings;
  /** From the oldest to the newest; empty when there is no Secret or nothing in it that can be read. */
  readonly authorities: readonly Authority[];
  /** A rotation that was asked for and not yet begun. */
  readonly isRotationAsked: boolean;
  readonly serving: readonly ServingFacts[];
  /** Since when, by fingerprint, every caller is known to trust an authority; absent when not all do. */
  readonly trustedSinceMillis: ReadonlyMap<string, number>;
  readonly served: readonly ServedFacts[];
}

/** The validity of a new certificate. */
export interface ValidityPeriod {
  readonly notBeforeMillis: number;
  readonly notAfterMillis: number;
}

/** One thing to write, and why; `bundle` is the whole new content of `ca.crt`. */
export type CertificateStep =
  | {
      /** A new authority, which does not sign yet; `keep` are those that stay beside it. */
      readonly action: 'introduce-authority';
      readonly validity: ValidityPeriod;
      readonly keep: readonly Authority[];
      readonly reason: string;
    }
  | { readonly action: 'write-authorities'; readonly authorities: readonly Authority[]; readonly reason: string }
  | {
      readonly action: 'issue';
      readonly secret: string;
      readonly signer: Authority;
      readonly subjectNames: readonly string[];
      readonly validity: ValidityPeriod;
      readonly bundle: readonly X509Certificate[];
      readonly reason: string;
    }
  | {
      readonly action: 'publish-bundle';
      readonly secret: string;
      readonly bundle: readonly X509Certificate[];
      readonly reason: string;
    };

/** What to do about certificates. */
export interface CertificatePlan {
  /** The one thing to write now; the facts are gathered anew after it. Absent when nothing is to be done. */
  readonly step?: CertificateStep;
  /** When to look again if nothing is heard before. */
  readonly againAtMillis: number;
}
