import type { IncomingMessage } from 'node:http';
import { Counter } from 'prom-client';
import type { ResourceAttributes } from '../../core/meta/authorization-attributes.ts';
import type { UserInfo } from '../../core/meta/user-info.ts';
import { nameAgentAudience } from '../../platform/agents/agent-identity.ts';
import { readTokenAudiences } from '../../platform/authentication/token-audiences.ts';
import type { ClientAuthoritySource } from '../../platform/certificates/serve-tls.ts';
import { AccessReviews } from '../../platform/kube/access-reviews.ts';
import { digestToken, reviewToken, type TokenAnswer } from '../../platform/kube/token-reviews.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { ExpiringCache } from '../../platform/process/expiring-cache.ts';
import type { Logger } from '../../platform/process/logger.ts';
import type { Registry } from '../../platform/process/metrics.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';
import type { AgentConfiguration } from '../config/agent-configuration.ts';
import { askPersistently } from './ask-persistently.ts';
import { CallerIdentities, type CallerIdentity } from './caller-identity.ts';
import { planAccessQuestions, readRequestPath } from './plan-access-questions.ts';
import type { AccessAnswer, RequestGuard } from './request-guard.ts';

/** What the guard decides by. */
export interface RequestGuardOptions {
  readonly configuration: Pick<AgentConfiguration, 'authentication' | 'authorization' | 'gates'>;
  readonly nodeName: string;
  readonly domain: string;
  /** The API that tokens and rights are asked at, as this program; `undefined`: there is none, and only client certificates count. */
  readonly client: ResourceClient | undefined;
  readonly clientAuthorities: ClientAuthoritySource;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Registry;
}

const maxTokens = 4096;
/** No request has a longer one; a longer one is not worth a question. */
const maxTokenLength = 16_384;
const unauthorized: AccessAnswer = { refusal: { status: 401, message: 'Unauthorized' } };

function buildTokenReader(options: RequestGuardOptions, client: ResourceClient) {
  const { clock, domain, nodeName, configuration } = options;
  const { cacheTtlMillis } = configuration.authentication.webhook;
  const answers = new ExpiringCache<TokenAnswer>({
    clock,
    maxEntries: maxTokens,
    // What was wrong with a token may pass; that it is nobody's is an answer like any other.
    lifeMillis: ({ fault }) => (fault === undefined ? cacheTtlMillis : 0),
  });
  const ownAudience = nameAgentAudience(domain, nodeName);
  return async (token: string): Promise<UserInfo | undefined> => {
    if (token.length > maxTokenLength) return undefined;
    // What the token says of itself only chooses the question; the API server verifies it.
    const audiences = readTokenAudiences(token).includes(ownAudience) ? [ownAudience] : undefined;
    const { user } = await answers.find(digestToken(token), () =>
      askPersistently(clock, () => reviewToken(client, token, audiences)),
    );
    return user;
  };
}

type Decide = (caller: CallerIdentity, question: ResourceAttributes) => Promise<boolean>;

function buildDecision({ configuration, client, clock }: RequestGuardOptions): Decide {
  const { mode, webhook } = configuration.authorization;
  if (mode === 'AlwaysAllow') return async () => true;
  // Without an API there is nobody to ask, so only those are let in whom the operator of the node vouches for.
  if (client === undefined) return async ({ by }) => by === 'certificate';
  const reviews = new AccessReviews({
    client,
    clock,
    lifeMillis: ({ allowed }) => (allowed ? webhook.cacheAuthorizedTtlMillis : webhook.cacheUnauthorizedTtlMillis),
  });
  return async ({ user }, question) => {
    const { allowed } = await askPersistently(clock, () => reviews.ask(user, question));
    return allowed;
  };
}

/** Builds the guard of the agent's port, which decides as a kubelet does, in its words. */
export function buildRequestGuard(options: RequestGuardOptions): RequestGuard {
  const { configuration, nodeName, client, clientAuthorities, clock, logger, metrics } = options;
  const { anonymous, webhook } = configuration.authentication;
  const decisions = new Counter({
    name: 'bailiwick_agent_access_decisions_total',
    help: 'Requests to the agent by what was decided about them.',
    labelNames: ['decision'],
    registers: [metrics],
  });
  const callers = new CallerIdentities({
    ...{ clientAuthorities, clock, allowsAnonymous: anonymous.enabled },
    ...(webhook.enabled && client !== undefined ? { findTokenUser: buildTokenReader(options, client) } : {}),
  });
  const decide = buildDecision(options);
  const isFineGrained = configuration.gates.isEnabled('KubeletFineGrainedAuthz');

  async function findCaller(request: IncomingMessage): Promise<CallerIdentity | undefined> {
    try {
      return await callers.find(request);
    } catch (error) {
      logger.error({ err: error }, 'who makes a request could not be found out');
      return undefined;
    }
  }

  async function authorize(caller: CallerIdentity, request: IncomingMessage): Promise<AccessAnswer> {
    const { user } = caller;
    const path = readRequestPath(request.url) ?? '/';
    const questions = planAccessQuestions(request.method ?? '', path, nodeName, isFineGrained);
    for (const question of questions) {
      const { verb, resource, subresource = '' } = question;
      try {
        if (await decide(caller, question)) return { user };
      } catch (error) {
        logger.error({ err: error, user: user.username, verb, subresource }, 'a right could not be asked for');
        const what = `user=${user.username}, verb=${verb}, resource=${resource}, subresource=${subresource}`;
        return { refusal: { status: 500, message: `Authorization error (${what})` } };
      }
    }
    const [{ verb, resource } = { verb: '', resource: '' }] = questions;
    const subresources = questions.map(({ subresource }) => subresource).join(' ');
    const what = `user=${user.username}, verb=${verb}, resource=${resource}, subresource(s)=[${subresources}]`;
    return { refusal: { status: 403, message: `Forbidden (${what})\n` } };
  }

  return {
    async check(request) {
      const caller = await findCaller(request);
      const answer = caller === undefined ? unauthorized : await authorize(caller, request);
      decisions.inc({ decision: 'user' in answer ? 'allowed' : nameRefusal(answer.refusal.status) });
      return answer;
    },
  };
}

function nameRefusal(status: 401 | 403 | 500): string {
  return status === 401 ? 'unauthorized' : status === 403 ? 'forbidden' : 'error';
}
