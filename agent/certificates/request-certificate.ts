import type { KubeObject } from '../../core/meta/kube-object.ts';
import { nameAgentSubject, nameServingSigner } from '../../platform/agents/agent-identity.ts';
import { certificateSigningRequests, findCondition } from '../../platform/certificates/signing-request-object.ts';
import type { SigningRequestObject } from '../../platform/certificates/signing-request-object.ts';
import { type KeyedCertificate, makeServerRequest } from '../../platform/certificates/make-certificate.ts';
import { sleep } from '../../platform/process/clock.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';

/** Whoever decides about a request refused it, or its signer could not sign it. */
export class CertificateRefusedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CertificateRefusedError';
  }
}

/** What a certificate is asked for with. */
export interface CertificateQuestion {
  /** Acts as the agent. */
  readonly client: ResourceClient;
  readonly clock: Clock;
  readonly domain: string;
  readonly nodeName: string;
  /** The node's name, and addresses. */
  readonly subjectNames: readonly string[];
  readonly signal: AbortSignal;
}

const waitMillis = 900_000;
const shortestPauseMillis = 500;
const longestPauseMillis = 10_000;
const pauseGrowth = 1.5;

/** Asks for a serving certificate with a key of its own, and waits for it. Rejects with a CertificateRefusedError when it was refused. */
export async function requestCertificate(question: CertificateQuestion): Promise<KeyedCertificate> {
  const { client, clock, domain, nodeName, subjectNames, signal } = question;
  const { request, privateKey } = await makeServerRequest({ commonName: nameAgentSubject(nodeName), subjectNames });
  const object: SigningRequestObject = {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { generateName: 'csr-' },
    spec: {
      request: Buffer.from(request, 'utf8').toString('base64'),
      signerName: nameServingSigner(domain),
      usages: ['digital signature', 'server auth'],
    },
  };
  const { metadata } = await client.create({ resource: certificateSigningRequests }, object);
  const certificate = await waitForCertificate(question, metadata, clock.now() + waitMillis);
  signal.throwIfAborted();
  return { certificate, privateKey };
}

async function waitForCertificate(
  { client, clock, signal }: CertificateQuestion,
  { name = '', uid }: KubeObject['metadata'],
  endMillis: number,
): Promise<string> {
  let pauseMillis = shortestPauseMillis;
  while (clock.now() < endMillis) {
    // It is read again and again: that needs no right to list everybody's requests.
    await sleep(clock, pauseMillis, signal);
    signal.throwIfAborted();
    pauseMillis = Math.min(pauseMillis * pauseGrowth, longestPauseMillis);
    const stored = await client.get<SigningRequestObject>({ resource: certificateSigningRequests, name });
    if (stored.metadata.uid !== uid) throw new Error(`the request ${name} was replaced by another`);
    const certificate = stored.status?.certificate ?? '';
    if (certificate !== '') return Buffer.from(certificate, 'base64').toString('utf8');
    for (const type of ['Denied', 'Failed']) {
      const condition = findCondition(stored, type);
      if (condition === undefined) continue;
      throw new CertificateRefusedError(`${name} is ${type}: ${condition.reason ?? ''}: ${condition.message ?? ''}`);
    }
  }
  throw new Error(`nobody issued the certificate of ${name} in time`);
}
