/** A certificate to serve; texts are PEM. */
export interface ServingCertificate {
  /** The certificate itself, and what is between it and its authority if there is anything. */
  readonly certificate: string;
  readonly privateKey: string;
  /** Every authority that clients of this service are to trust. */
  readonly bundle: string;
  /** Upper-case hexadecimal digits, as TLS libraries print it. */
  readonly serialNumber: string;
  readonly notAfterMillis: number;
}

/** The certificate that a program is to serve, as it is at the moment of the call. */
export interface CertificateSource {
  /** `undefined` until the first good one is known. */
  current(): ServingCertificate | undefined;
  /** Calls `listener` at every change. Returns a function that ends this. */
  subscribe(listener: (certificate: ServingCertificate) => void): () => void;
}

/** The authorities that callers of a service are to trust, as PEM text. */
export interface CaBundleSource {
  /** `undefined` until it is known: then nothing may be registered, and what is registered stays as it is. */
  current(): string | undefined;
  /** Calls `listener` at every change. Returns a function that ends this. */
  subscribe(listener: (bundle: string) => void): () => void;
}
