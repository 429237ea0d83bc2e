// How the scripts of the chart's jobs reach the host's API server: as their pod's service account.
import { readFileSync } from 'node:fs';

const account = '/var/run/secrets/kubernetes.io/serviceaccount';
const port = process.env.KUBERNETES_SERVICE_PORT ?? '443';
const address = process.env.KUBERNETES_SERVICE_HOST ?? '';
const server = process.env.HOST_URL ?? `https://${address.includes(':') ? `[${address}]` : address}:${port}`;

function readToken() {
  return process.env.HOST_TOKEN ?? readFileSync(`${account}/token`, 'utf8');
}

/**
 * Makes one request and resolves to `{ status, body, warnings }`, whatever the answer is; throws when there is none.
 * A merge patch unless `type` says otherwise; a body goes as JSON, or as it is when it is text.
 */
export async function callHost(method, path, body, type = 'application/json') {
  const response = await fetch(`${server}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${readToken()}`,
      accept: 'application/json',
      'content-type': method === 'PATCH' && type === 'application/json' ? 'application/merge-patch+json' : type,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await response.text();
  let parsed;
  try {
    parsed = JSON.parse(text);
  } catch {
    parsed = { message: text };
  }
  return { status: response.status, body: parsed, warnings: response.headers.get('warning') ?? '' };
}

/** The same, where any answer that is neither a success nor one of `accepted` ends the script. */
export async function demandHost(method, path, body, { type, accepted = [] } = {}) {
  const answer = await callHost(method, path, body, type);
  if (answer.status >= 300 && !accepted.includes(answer.status)) {
    throw new Error(`${method} ${path}: ${answer.status} ${answer.body.message ?? ''}`);
  }
  return answer;
}

/** Asks again until `check` gives something; throws after `timeoutSeconds` with what it was waiting for. */
export async function waitFor(what, timeoutSeconds, check) {
  const deadline = Date.now() + timeoutSeconds * 1000;
  for (;;) {
    const found = await check();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`${what}: not within ${timeoutSeconds} s`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
