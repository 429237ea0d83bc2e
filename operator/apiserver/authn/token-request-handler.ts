import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeInvalid } from '../../../core/errors/make-field-error.ts';
import { makeBadRequestError, makeConflictError, makeInvalidError } from '../../../core/errors/make-status-error.ts';
import { hasReason } from '../../../core/errors/status.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { formatTime } from '../../../core/time/time.ts';
import { tokenRequestSchema } from '../../../kinds/workloads/resolve-schema.ts';
import type { Clock } from '../../../platform/process/clock.ts';
import type { ResourceClient } from '../../../platform/resources/resource-client.ts';
import type {
  CreateHandler,
  SubresourceAnswer,
  SubresourceContext,
  SubresourceRequest,
} from '../subresource-handler.ts';
import type { ServiceAccountTokens } from './service-account-tokens.ts';
import type { BoundObject, TokenBinding } from './token-binding.ts';

/** The parts of a TokenRequest that are read. */
interface TokenRequestSpec {
  audiences?: string[];
  expirationSeconds?: number | bigint;
  boundObjectRef?: { kind?: string; apiVersion?: string; name?: string; uid?: string } | null;
}

interface BoundPod extends KubeObject {
  spec?: { serviceAccountName?: string; nodeName?: string };
}

const group = 'authentication.k8s.io';
const kind = 'TokenRequest';
const apiVersion = `${group}/v1`;
const defaultExpirationSeconds = 3_600;
const minExpirationSeconds = 600;
const maxExpirationSeconds = 2 ** 32;

function refuseMismatch(member: 'name' | 'namespace', value: string, name: string): never {
  const path = FieldPath.root('metadata').child(member);
  throw makeInvalidError(group, kind, name, [
    makeInvalid(path, value, `must match the service account ${member} if specified`),
  ]);
}

function checkExpiration(seconds: number): void {
  const path = FieldPath.root('spec').child('expirationSeconds');
  if (seconds < minExpirationSeconds) {
    const error = makeInvalid(path, seconds, 'may not specify a duration less than 10 minutes');
    throw makeInvalidError(group, kind, '', [error]);
  }
  if (seconds > maxExpirationSeconds) {
    const error = makeInvalid(path, seconds, 'may not specify a duration larger than 2^32 seconds');
    throw makeInvalidError(group, kind, '', [error]);
  }
}

async function getCoreObject<T extends KubeObject>(
  client: ResourceClient,
  resource: string,
  name: string,
  namespace?: string,
): Promise<T> {
  const reference = { resource: { group: '', version: 'v1', resource }, name };
  return client.get<T>(namespace === undefined ? reference : { ...reference, namespace });
}

function referTo(object: KubeObject): BoundObject {
  return { name: object.metadata.name ?? '', uid: object.metadata.uid ?? '' };
}

async function findNodeOfPod(client: ResourceClient, pod: BoundPod): Promise<BoundObject | undefined> {
  const nodeName = pod.spec?.nodeName ?? '';
  if (nodeName === '') return undefined;
  try {
    return referTo(await getCoreObject(client, 'nodes', nodeName));
  } catch (error) {
    // The name alone still tells whom the token was given to.
    if (hasReason(error, 'NotFound')) return { name: nodeName, uid: '' };
    throw error;
  }
}

/** `/v1, Kind=ConfigMap`, as Kubernetes prints a kind with its version. */
function formatVersionKind(versionText: string, kindText: string): string {
  return versionText.includes('/') ? `${versionText}, Kind=${kindText}` : `/${versionText}, Kind=${kindText}`;
}

async function findBoundObjects(
  client: ResourceClient,
  spec: TokenRequestSpec,
  namespace: string,
  accountName: string,
): Promise<Pick<TokenBinding, 'pod' | 'secret' | 'node'>> {
  const reference = spec.boundObjectRef ?? undefined;
  if (reference === undefined) return {};
  const { kind: boundKind = '', apiVersion: boundVersion = '', name = '', uid = '' } = reference;
  const isCore = !boundVersion.includes('/');
  let bound: Pick<TokenBinding, 'pod' | 'secret' | 'node'>;
  let found: BoundObject;
  if (isCore && boundKind === 'Pod') {
    const pod = await getCoreObject<BoundPod>(client, 'pods', name, namespace);
    if ((pod.spec?.serviceAccountName ?? '') !== accountName) {
      const text = `cannot bind token for serviceaccount ${JSON.stringify(accountName)} to pod running with different serviceaccount name.`;
      throw makeBadRequestError(text);
    }
    found = referTo(pod);
    const node = await findNodeOfPod(client, pod);
    bound = node === undefined ? { pod: found } : { pod: found, node };
  } else if (isCore && boundKind === 'Node') {
    found = referTo(await getCoreObject(client, 'nodes', name));
    bound = { node: found };
  } else if (isCore && boundKind === 'Secret') {
    found = referTo(await getCoreObject(client, 'secrets', name, namespace));
    bound = { secret: found };
  } else {
    throw makeBadRequestError(`cannot bind token to object of type ${formatVersionKind(boundVersion, boundKind)}`);
  }
  if (uid !== '' && uid !== found.uid) {
    const text =
      `the UID in the bound object reference (${uid}) does not match the UID in record. ` +
      'The object might have been deleted and then recreated';
    throw makeConflictError('', boundKind, name, text);
  }
  return bound;
}

async function issueToken(
  request: SubresourceRequest,
  context: SubresourceContext,
  tokens: ServiceAccountTokens,
  clock: Clock,
): Promise<SubresourceAnswer> {
  const { body, name, namespace = '' } = request;
  const { metadata } = body;
  const spec = (body['spec'] ?? {}) as TokenRequestSpec;
  if (metadata.name && metadata.name !== name) refuseMismatch('name', metadata.name, name);
  if (metadata.namespace && metadata.namespace !== namespace) refuseMismatch('namespace', metadata.namespace, name);
  const account = await getCoreObject(context.client, 'serviceaccounts', name, namespace);
  const accountUid = account.metadata.uid ?? '';
  if (metadata.uid && metadata.uid !== accountUid) {
    const text = `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${accountUid})`;
    throw makeConflictError(group, kind, name, text);
  }
  const audiences = (spec.audiences ?? []).length === 0 ? [...tokens.apiAudiences] : (spec.audiences ?? []);
  const expirationSeconds = Number(spec.expirationSeconds ?? defaultExpirationSeconds);
  const nowMillis = clock.now();
  const answer = {
    ...body,
    metadata: { ...metadata, name, namespace, uid: accountUid, creationTimestamp: formatTime(nowMillis) },
    spec: { ...(spec as JsonObject), audiences, expirationSeconds, boundObjectRef: spec.boundObjectRef ?? null },
  } as unknown as KubeObject & JsonObject;
  checkExpiration(expirationSeconds);
  await context.admit(answer);
  const bound = await findBoundObjects(context.client, spec, namespace, name);
  const token = tokens.issue({
    binding: { namespace, serviceAccount: { name, uid: accountUid }, ...bound },
    audiences,
    expirationSeconds,
  });
  const expirationTimestamp = formatTime(nowMillis + expirationSeconds * 1_000);
  return { code: 201, object: { ...(answer as JsonObject), status: { token, expirationTimestamp } } };
}

/** `serviceaccounts/token`: issues a token for a service account, bound to a pod, secret or node if asked for. */
export function createTokenRequestHandler(options: {
  readonly tokens: ServiceAccountTokens;
  readonly clock: Clock;
}): CreateHandler {
  return {
    type: 'create',
    target: { group: '', version: 'v1', resource: 'serviceaccounts', subresource: 'token' },
    bodyApiVersion: apiVersion,
    bodyKind: kind,
    bodySchema: tokenRequestSchema,
    applyDefaults(body) {
      const spec = (body['spec'] ?? {}) as TokenRequestSpec & JsonObject;
      spec.expirationSeconds ??= defaultExpirationSeconds;
      body['spec'] = spec;
    },
    handle: (request, context) => issueToken(request, context, options.tokens, options.clock),
  };
}
