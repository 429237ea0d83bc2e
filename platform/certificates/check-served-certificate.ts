import { connect } from 'node:tls';
import type { TLSSocket } from 'node:tls';

import type { X509Certificate } from 'node:crypto';

/** Where a certificate is served; `serverName` is the name that a client would ask for. */
export interface ServedCertificateQuestion {
  /** Absent means loopback. */
  readonly address?: string;
  readonly port: number;
  readonly serverName: string;
  /** Absent means 2 s. */
  readonly timeoutMillis?: number;
}

const defaultTimeoutMillis = 2_000;

/** Shakes hands over a connection of its own, and reads from it. Throws when that does not work in time or `bundle` does not trust it. */
async function shakeHands<T>(
  question: ServedCertificateQuestion,
  bundle: string | undefined,
  read: (socket: TLSSocket) => T,
): Promise<T> {
  const { address = '127.0.0.1', port, serverName, timeoutMillis = defaultTimeoutMillis } = question;
  const socket = connect({
    host: address,
    port,
    servername: serverName,
    ...(bundle === undefined ? { rejectUnauthorized: false } : { ca: bundle }),
  });
  try {
    return await new Promise<T>((resolve, reject) => {
      socket.setTimeout(timeoutMillis, () => reject(new Error('the TLS handshake took too long')));
      socket.once('secureConnect', () => resolve(read(socket)));
      socket.once('error', reject);
    });
  } finally {
    // The socket may still fail after its answer; nobody asks any more.
    socket.on('error', () => undefined);
    socket.destroy();
  }
}

/** Whether the certificate that is really served leads to `bundle` and is for `serverName`: `undefined` when it does, else why not. */
export async function checkServedCertificate(
  question: ServedCertificateQuestion & { readonly bundle: string },
): Promise<string | undefined> {
  try {
    await shakeHands(question, question.bundle, () => undefined);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The certificate that is really served, whoever trusts it. Throws when nobody answers in time. */
export async function fetchServedCertificate(question: ServedCertificateQuestion): Promise<X509Certificate> {
  const certificate = await shakeHands(question, undefined, (socket) => socket.getPeerX509Certificate());
  if (certificate === undefined) throw new Error('the server showed no certificate');
  return certificate;
}
