import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { X509Certificate } from 'node:crypto';

import type { UserInfo } from '../../core/meta/user-info.ts';
import { addAuthenticatedGroup, anonymousUser } from '../../platform/authentication/authenticated-group.ts';
import { readBearerToken } from '../../platform/authentication/bearer-token.ts';
import { readCertificateUser, readClientCertificate } from '../../platform/authentication/client-certificate.ts';
import { readBundle } from '../../platform/certificates/certificate-objects.ts';
import { findTrustAnchor } from '../../platform/certificates/read-certificate.ts';
import type { ClientAuthoritySource } from '../../platform/certificates/serve-tls.ts';
import type { Clock } from '../../platform/process/clock.ts';

/** Who a request is from. */
export interface CallerIdentity {
  readonly user: UserInfo;
  /** What says so. */
  readonly by: 'certificate' | 'token' | 'nothing';
}

/** What callers are found by. */
export interface CallerIdentitiesOptions {
  /** What was given to the TLS layer. */
  readonly clientAuthorities: ClientAuthoritySource;
  /** Whose a token is; `undefined`: nobody's. Rejects when that cannot be found out. Absent: no token is believed. */
  readonly findTokenUser?: (token: string) => Promise<UserInfo | undefined>;
  readonly allowsAnonymous: boolean;
  readonly clock: Clock;
}

/** Finds who makes a request: by client certificate, else by bearer token, else it is from nobody, who may be let in. */
export class CallerIdentities {
  readonly #options: CallerIdentitiesOptions;
  #authorities: { readonly text: string; readonly certificates: readonly X509Certificate[] } | undefined;

  constructor(options: CallerIdentitiesOptions) {
    this.#options = options;
  }

  /** `undefined`: the request shows nothing, or nothing that holds. Rejects when what it shows cannot be judged. */
  async find(request: IncomingMessage): Promise<CallerIdentity | undefined> {
    const { clock, findTokenUser, allowsAnonymous } = this.#options;
    const shown = readClientCertificate(request.socket, clock.now());
    const certificate = this.#isVouchedFor(request) ? shown : undefined;
    const certificateUser = readCertificateUser(certificate);
    if (certificateUser !== undefined) return { user: addAuthenticatedGroup(certificateUser), by: 'certificate' };
    const token = readBearerToken(request.headers.authorization);
    if (token !== undefined && findTokenUser !== undefined) {
      const tokenUser = await findTokenUser(token);
      return tokenUser === undefined ? undefined : { user: addAuthenticatedGroup(tokenUser), by: 'token' };
    }
    // Wrong credentials are no reason to be somebody else.
    const isWrong = certificate === undefined && showsCertificate(request) && this.#readAuthorities().length > 0;
    return allowsAnonymous && !isWrong ? { user: anonymousUser, by: 'nothing' } : undefined;
  }

  /** The TLS layer judged when the connection, or the session that it goes on with, began: the authorities may have changed since. */
  #isVouchedFor({ socket }: IncomingMessage): boolean {
    const authorities = this.#readAuthorities();
    if (authorities.length === 0 || !(socket instanceof TLSSocket)) return false;
    const chain: X509Certificate[] = [];
    let link = socket.getPeerX509Certificate();
    while (link !== undefined && chain.length < maxChainLength) {
      chain.push(link);
      link = link.issuerCertificate;
    }
    return findTrustAnchor(chain, authorities, this.#options.clock.now()) !== undefined;
  }

  #readAuthorities(): readonly X509Certificate[] {
    const text = this.#options.clientAuthorities.current() ?? '';
    if (this.#authorities?.text !== text) this.#authorities = { text, certificates: readBundle(text) };
    return this.#authorities.certificates;
  }
}

const maxChainLength = 10;

function showsCertificate({ socket }: IncomingMessage): boolean {
  return socket instanceof TLSSocket && socket.getPeerX509Certificate() !== undefined;
}
