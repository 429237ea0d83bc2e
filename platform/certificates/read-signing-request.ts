import { runX509 } from './run-x509.ts';

/** What a request for a certificate says. */
export interface SigningRequestFacts {
  readonly commonName: string;
  /** Names of the subject besides its one common name, such as `O=team`. */
  readonly otherSubjects: readonly string[];
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  /** Names of other sorts: mail addresses, URIs. */
  readonly otherNames: readonly string[];
  /** The key that asks, as PEM text of its SPKI; `undefined` when it is of a sort, or of a size, that is not signed. */
  readonly publicKey: string | undefined;
}

/** What can be signed is far smaller. */
const maxCharacters = 32_768;

/** Reads a request for a certificate (PKCS #10) from its PEM text; `undefined` when it is none, too long, or not signed by its own key. */
export async function readSigningRequest(pem: string): Promise<SigningRequestFacts | undefined> {
  if (pem.length > maxCharacters) return undefined;
  const facts = (await runX509('read', pem)) as SigningRequestFacts | null;
  return facts === null ? undefined : { ...facts, publicKey: facts.publicKey };
}
