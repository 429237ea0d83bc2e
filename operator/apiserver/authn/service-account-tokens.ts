import { createHash, createPrivateKey, createPublicKey, randomUUID } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { isJsonObject } from '../../../core/meta/json.ts';
import type { JsonObject, JsonValue } from '../../../core/meta/json.ts';
import type { Clock } from '../../../platform/process/clock.ts';
import { formatServiceAccountUsername, listServiceAccountGroups } from '../authz/service-account-name.ts';
import type { AuthenticationResult, TokenAuthenticator } from './authenticator.ts';
import { deriveKeyId, parseJwt, signJwt, verifyJwt } from './jwt.ts';
import type { UnverifiedJwt } from './jwt.ts';
import { findBindingFault } from './token-binding.ts';
import type { BoundObject, TokenBinding, TokenObjects } from './token-binding.ts';

/** What a new token is to say. */
export interface TokenIssue {
  readonly binding: TokenBinding;
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
}

export interface ServiceAccountTokensOptions {
  /** PEM text of the key that signs. */
  readonly privateKey: string;
  readonly issuer: string;
  /** Audiences that this API service answers to. */
  readonly apiAudiences: readonly string[];
  readonly clock: Clock;
  /** Reads the objects that tokens are bound to. */
  readonly objects: TokenObjects;
}

/** Clocks may differ by this much, as in Kubernetes. */
const leewaySeconds = 60;
const maxVerified = 1_024;

function readNumber(claims: JsonObject, key: string): number | undefined {
  const value = claims[key];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function readStrings(value: JsonValue | undefined): string[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function readBoundObject(value: JsonValue | undefined): BoundObject | undefined {
  if (!isJsonObject(value)) return undefined;
  const { name, uid } = value;
  return { name: typeof name === 'string' ? name : '', uid: typeof uid === 'string' ? uid : '' };
}

function readBinding(claims: JsonObject): TokenBinding | undefined {
  const own = claims['kubernetes.io'];
  if (!isJsonObject(own) || typeof own['namespace'] !== 'string') return undefined;
  const serviceAccount = readBoundObject(own['serviceaccount']);
  if (serviceAccount === undefined) return undefined;
  const pod = readBoundObject(own['pod']);
  const secret = readBoundObject(own['secret']);
  const node = readBoundObject(own['node']);
  return {
    namespace: own['namespace'],
    serviceAccount,
    ...(pod === undefined ? {} : { pod }),
    ...(secret === undefined ? {} : { secret }),
    ...(node === undefined ? {} : { node }),
  };
}

function encodeBoundObject(object: BoundObject): JsonObject {
  return object.uid === '' ? { name: object.name } : { name: object.name, uid: object.uid };
}

function encodeBinding(binding: TokenBinding): JsonObject {
  const { namespace, serviceAccount, pod, secret, node } = binding;
  return {
    namespace,
    ...(node === undefined ? {} : { node: encodeBoundObject(node) }),
    ...(pod === undefined ? {} : { pod: encodeBoundObject(pod) }),
    ...(secret === undefined ? {} : { secret: encodeBoundObject(secret) }),
    serviceaccount: encodeBoundObject(serviceAccount),
  };
}

/** `undefined` when the token is valid now, else what is wrong, in Kubernetes' words. */
function findTimeFault(claims: JsonObject, nowMillis: number): string | undefined {
  const nowSeconds = nowMillis / 1_000;
  const notBefore = readNumber(claims, 'nbf');
  if (notBefore !== undefined && nowSeconds + leewaySeconds < notBefore)
    return 'service account token is not valid yet';
  const expiry = readNumber(claims, 'exp');
  if (expiry === undefined || nowSeconds - leewaySeconds > expiry) return 'service account token has expired';
  const issuedAt = readNumber(claims, 'iat');
  if (issuedAt !== undefined && nowSeconds + leewaySeconds < issuedAt) {
    return 'service account token is issued in the future';
  }
  return undefined;
}

/** Issues and verifies tokens of service accounts. */
export class ServiceAccountTokens implements TokenAuthenticator {
  readonly #options: ServiceAccountTokensOptions;
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;
  readonly #keyId: string;
  /** Claims of tokens whose signature was verified, by the token's digest; the oldest goes first. */
  readonly #verified = new Map<string, JsonObject>();

  constructor(options: ServiceAccountTokensOptions) {
    this.#options = options;
    this.#privateKey = createPrivateKey(options.privateKey);
    this.#publicKey = createPublicKey(this.#privateKey);
    this.#keyId = deriveKeyId(this.#publicKey);
  }

  get apiAudiences(): readonly string[] {
    return this.#options.apiAudiences;
  }

  /** Signs a token; it expires `expirationSeconds` from now. */
  issue(issue: TokenIssue): string {
    const nowSeconds = Math.floor(this.#options.clock.now() / 1_000);
    const { binding, audiences, expirationSeconds } = issue;
    return signJwt(
      {
        aud: [...audiences],
        exp: nowSeconds + expirationSeconds,
        iat: nowSeconds,
        iss: this.#options.issuer,
        jti: randomUUID(),
        'kubernetes.io': encodeBinding(binding),
        nbf: nowSeconds,
        sub: formatServiceAccountUsername(binding.namespace, binding.serviceAccount.name),
      },
      this.#privateKey,
    );
  }

  async authenticateToken(token: string, audiences?: readonly string[]): Promise<AuthenticationResult | undefined> {
    const jwt = parseJwt(token);
    if (jwt === undefined || jwt.claims['iss'] !== this.#options.issuer) return undefined;
    const claims = this.#verify(token, jwt);
    if (typeof claims === 'string') return { authenticated: false, fault: claims };
    const requested = audiences ?? this.#options.apiAudiences;
    const own = readStrings(claims['aud']);
    const matching = own.filter((audience) => requested.includes(audience));
    if (matching.length === 0) {
      const fault = `token audiences ${quoteList(own)} is invalid for the target audiences ${quoteList(requested)}`;
      return { authenticated: false, fault };
    }
    const timeFault = findTimeFault(claims, this.#options.clock.now());
    if (timeFault !== undefined) return { authenticated: false, fault: timeFault };
    const binding = readBinding(claims);
    if (binding === undefined)
      return { authenticated: false, fault: 'service account token has no kubernetes.io claims' };
    const fault = await findBindingFault(
      binding,
      this.#options.objects,
      this.#options.clock.now() - leewaySeconds * 1_000,
    );
    if (fault !== undefined) return { authenticated: false, fault };
    return { authenticated: true, user: makeUser(binding, claims['jti']), audiences: matching };
  }

  #verify(token: string, jwt: UnverifiedJwt): JsonObject | string {
    const digest = createHash('sha256').update(token, 'utf8').digest('base64');
    const known = this.#verified.get(digest);
    if (known !== undefined) return known;
    const { kid } = jwt.header;
    if (kid !== undefined && kid !== '' && kid !== this.#keyId) return 'invalid signature, no keys found';
    if (!verifyJwt(jwt, this.#publicKey)) return 'invalid signature';
    if (this.#verified.size >= maxVerified) {
      for (const oldest of this.#verified.keys()) {
        this.#verified.delete(oldest);
        break;
      }
    }
    this.#verified.set(digest, jwt.claims);
    return jwt.claims;
  }
}

function quoteList(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;
}

function makeUser(
  binding: TokenBinding,
  tokenId: JsonValue | undefined,
): {
  username: string;
  uid: string;
  groups: string[];
  extra?: Record<string, string[]>;
} {
  const { namespace, serviceAccount, pod, node } = binding;
  const prefix = 'authentication.kubernetes.io/';
  const extra: Record<string, string[]> = {};
  if (typeof tokenId === 'string' && tokenId !== '') extra[`${prefix}credential-id`] = [`JTI=${tokenId}`];
  if (pod !== undefined) {
    extra[`${prefix}pod-name`] = [pod.name];
    extra[`${prefix}pod-uid`] = [pod.uid];
  }
  if (node !== undefined) {
    extra[`${prefix}node-name`] = [node.name];
    if (node.uid !== '') extra[`${prefix}node-uid`] = [node.uid];
  }
  return {
    username: formatServiceAccountUsername(namespace, serviceAccount.name),
    uid: serviceAccount.uid,
    groups: listServiceAccountGroups(namespace),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}
