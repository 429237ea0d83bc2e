import type { X509Certificate } from 'node:crypto';

/** What those who call a service check its certificate by. */
export interface CallerTrust {
  /** One bundle for each way to be called; none when nobody calls. */
  readonly bundles: readonly (readonly X509Certificate[])[];
  /** Since when each authority is in every bundle, by fingerprint; minus infinity: since before that was looked at. */
  readonly trustedSinceMillis: ReadonlyMap<string, number>;
}

/** What callers trust, as it is at the moment of the call. */
export interface CallerTrustSource {
  /** `undefined` until it is known. */
  current(): CallerTrust | undefined;
  /** Calls `listener` after every change. Returns a function that ends this. */
  subscribe(listener: () => void): () => void;
}
