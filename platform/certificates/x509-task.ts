import type { CertificateRequest, KeyedCertificate, KeyedRequest, ServerSubject } from './make-certificate.ts';
import type { SigningRequestFacts } from './read-signing-request.ts';

/** Something to be done with the library of certificates, by its name and what it is given. */
export interface X509Tasks {
  /** Signs a certificate: with `publicKey` (PEM text of its SPKI) for that key, else for a new one; by `authority`, else by itself. */
  readonly certificate: {
    readonly given: {
      readonly request: CertificateRequest;
      readonly authority?: KeyedCertificate | undefined;
      readonly publicKey?: string;
    };
    /** The private key is empty where it is somebody else's. */
    readonly answer: KeyedCertificate;
  };
  /** Makes a new key and a request for a server's certificate. */
  readonly request: { readonly given: ServerSubject; readonly answer: KeyedRequest };
  /** Reads a request from its PEM text; `null` when it cannot be read or is not signed by its own key. */
  readonly read: { readonly given: { readonly pem: string }; readonly answer: SigningRequestFacts | null };
}

/** Name of a task. */
export type X509TaskName = keyof X509Tasks;

/** One line to the process that does tasks. */
export interface X509Line {
  readonly task: X509TaskName;
  readonly given: unknown;
}

/** One line from it: the answer, or the text of an error. */
export type X509Reply = { readonly answer: unknown } | { readonly failure: string };
