import { Agent, request } from 'node:https';

/** Which webhook to call, and what with. */
export interface WebhookCall {
  /** An HTTPS URL. */
  readonly url: string;
  /** PEM of the authorities that its certificate may be signed by; absent: those of the system. */
  readonly authorities?: string;
  readonly body: string;
  readonly timeoutMillis: number;
  /** Longer answers are given up. */
  readonly maxAnswerBytes: number;
}

/** The body of an answer with a good status; or why there is none, in the words that Go has for it. */
export type WebhookAnswer = { readonly text: string } | { readonly fault: string };

function describeFailure(error: NodeJS.ErrnoException & { address?: string; port?: number }): string {
  if (error.code === 'ECONNREFUSED') {
    return `dial tcp ${error.address ?? ''}:${error.port ?? 0}: connect: connection refused`;
  }
  if (error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN') return 'dial tcp: lookup failed: no such host';
  if (error.code === 'ECONNRESET') return 'EOF';
  const untrusted = ['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'];
  if (untrusted.includes(error.code ?? '') || error.code?.startsWith('UNABLE_TO_GET_ISSUER_CERT') === true) {
    return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
  }
  return error.message;
}

const maxAgents = 32;
const idleMillis = 30_000;
/** By the authorities that they trust: connections are kept for the next call, since each costs a handshake. */
const agents = new Map<string, Agent>();

function findAgent(authorities: string | undefined): Agent {
  const key = authorities ?? '';
  const known = agents.get(key);
  if (known !== undefined) return known;
  const [oldest] = agents.keys();
  // Calls under way end on it; what it kept is closed when nobody has used it for a while.
  if (oldest !== undefined && agents.size >= maxAgents) agents.delete(oldest);
  const agent = new Agent({
    keepAlive: true,
    timeout: idleMillis,
    ...(authorities === undefined ? {} : { ca: authorities }),
  });
  // Its own names of connections contain the authorities whole, for each call again; here they are the same for all of an agent's.
  agent.getName = ({ host = '', port = '', servername = '' } = {}) => `${host}:${port}:${servername}`;
  agents.set(key, agent);
  return agent;
}

/** Posts JSON to a webhook. Never rejects. */
export async function postWebhook(call: WebhookCall): Promise<WebhookAnswer> {
  const [, port] = /^https:\/\/[^/?#]*:(\d{1,9})(?:[/?#]|$)/.exec(call.url) ?? [];
  if (Number(port) > 65_535) return { fault: `dial tcp: address ${port}: invalid port` };
  try {
    const answer = await post(call, findAgent(call.authorities));
    // A connection that was kept may have been closed by the other side meanwhile.
    return answer === 'closed' ? ((await post(call, false)) as WebhookAnswer) : answer;
  } catch (error) {
    // What cannot even be begun, such as a URL that is none, or authorities that cannot be read.
    return { fault: describeFailure(error as Error) };
  }
}

/** `closed`: the connection was a kept one, and is no more. */
function post(call: WebhookCall, agent: Agent | false): Promise<WebhookAnswer | 'closed'> {
  const { url, authorities, body, timeoutMillis, maxAnswerBytes } = call;
  const { promise, resolve } = Promise.withResolvers<WebhookAnswer | 'closed'>();
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    'user-agent': 'kube-apiserver-admission',
  };
  const posted = request(
    url,
    {
      method: 'POST',
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      agent,
      ...(authorities === undefined ? {} : { ca: authorities }),
    },
    (answer) => {
      const chunks: Buffer[] = [];
      let size = 0;
      answer.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxAnswerBytes) posted.destroy(new Error('the answer is too long'));
        else chunks.push(chunk);
      });
      answer.on('error', (error) => resolve({ fault: describeFailure(error) }));
      answer.on('end', () => {
        const { statusCode = 0 } = answer;
        if (statusCode >= 200 && statusCode < 300) resolve({ text: Buffer.concat(chunks).toString('utf8') });
        else resolve({ fault: 'the server rejected our request for an unknown reason' });
      });
    },
  );
  const timer = setTimeout(() => posted.destroy(new Error('context deadline exceeded')), timeoutMillis);
  posted.on('error', (error: NodeJS.ErrnoException) => {
    const isClosed = posted.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
    resolve(isClosed ? 'closed' : { fault: describeFailure(error) });
  });
  posted.end(body);
  return promise.finally(() => clearTimeout(timer));
}
