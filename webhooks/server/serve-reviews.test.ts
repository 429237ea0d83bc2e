import { Agent, request as sendHttps } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AdmissionPlugin } from '../../admission/admission-plugin.ts';
import { makeForbiddenError, makeTooManyRequestsError } from '../../core/errors/make-status-error.ts';
import { buildKindRegistry } from '../../kinds/registry.ts';
import { makeCertificate } from '../../platform/certificates/make-certificate.ts';
import { systemClock } from '../../platform/process/clock.ts';
import { createSilentLogger } from '../../platform/process/logger.ts';
import type { Enforcement } from '../../platform/release/enforcement.ts';
import type { ReviewRoute } from '../review/decide-review.ts';
import { BodyBudget, maxReviewBytes } from './read-limited-body.ts';
import { ReviewMetrics } from './review-metrics.ts';
import { ReviewServer } from './review-server.ts';
import { ReviewServing } from './serve-reviews.ts';

const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'n' }, spec: {} };
const requestBody = {
  uid: 'u1',
  operation: 'CREATE',
  resource: { group: '', version: 'v1', resource: 'pods' },
  kind: { group: '', version: 'v1', kind: 'Pod' },
  userInfo: { username: 'someone', groups: ['g'] },
  ...{ namespace: 'n', name: 'p', object: pod, oldObject: null, dryRun: false },
};

function makeReview(more: object = {}): object {
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: { ...requestBody, ...more } };
}

/** What the plugin of a test does in its one step. */
type Step = NonNullable<AdmissionPlugin['validate']>;

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  // oxlint-disable-next-line typescript/no-explicit-any -- looked into by tests
  readonly body: any;
}

describe('ReviewServing', () => {
  let server: ReviewServer;
  let port: number;
  let agent: Agent;
  let mode: Enforcement;
  let step: Step;
  let metrics: Registry;
  let isDraining: boolean;
  let lines: unknown[];

  beforeEach(async () => {
    mode = 'Enforce';
    step = () => Promise.resolve();
    isDraining = false;
    metrics = new Registry();
    const validity = { notBeforeMillis: Date.now() - 60_000, notAfterMillis: Date.now() + 3_600_000 };
    const made = await makeCertificate({
      commonName: 'w',
      purpose: 'server',
      subjectNames: ['127.0.0.1'],
      ...validity,
    });
    const first = { ...made, bundle: made.certificate, serialNumber: '1', notAfterMillis: validity.notAfterMillis };
    server = new ReviewServer({
      ...{ first, address: '127.0.0.1', port: 0, drainMillis: 0, clock: systemClock, logger: createSilentLogger() },
      certificates: { current: () => first, subscribe: () => () => undefined },
    });
    const plugin = { name: 'P', handles: () => true, mutate: step, validate: step };
    plugin.mutate = plugin.validate = (attributes, warn) => step(attributes, warn);
    const plugins: AdmissionPlugin[] = [plugin];
    const routes: ReviewRoute[] = [
      { path: '/validate/p', type: 'validating', plugins },
      { path: '/mutate/p', type: 'mutating', plugins },
      { path: '/mutate/always', type: 'mutating', plugins, changesInAudit: true },
    ];
    lines = [];
    const logger = createSilentLogger();
    logger.info = (facts: unknown) => void lines.push(facts);
    const serving = new ReviewServing({
      ...{ routes, registry: buildKindRegistry('example.org'), clock: systemClock, logger },
      budget: new BodyBudget(100_000),
      enforcement: { current: () => mode, subscribe: () => () => undefined },
      metrics: new ReviewMetrics(metrics),
      isDraining: () => isDraining,
    });
    port = await server.listen(serving.handle);
    agent = new Agent({ keepAlive: true, ca: made.certificate });
  });

  afterEach(async () => {
    agent.destroy();
    await server.close();
  });

  function send(path: string, body: unknown, headers: Record<string, string> = {}, method = 'POST'): Promise<Answer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const given = {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(text)),
        ...headers,
      };
      const call = sendHttps({ host: '127.0.0.1', port, path, method, agent, headers: given }, (message) => {
        const chunks: Buffer[] = [];
        message.on('data', (chunk: Buffer) => chunks.push(chunk));
        message.on('end', () =>
          resolve({
            status: message.statusCode ?? 0,
            headers: message.headers,
            body: JSON.parse(Buffer.concat(chunks).toString()) as unknown,
          }),
        );
      });
      call.on('error', reject);
      call.end(text);
    });
  }

  const review = (path: string, more: object = {}): Promise<Answer> => send(path, makeReview(more));

  it('answers in the version and with the uid of the request', async () => {
    const { status, headers, body } = await review('/validate/p?timeout=10s');
    expect([status, headers['content-type']]).toEqual([200, 'application/json']);
    expect(body).toEqual({
      ...{ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' },
      response: { uid: 'u1', allowed: true, auditAnnotations: { reviewUid: 'u1' } },
    });
  });

  it.for([
    [makeForbiddenError('', 'pods', 'p', 'no'), 403, 'Forbidden'],
    [makeTooManyRequestsError('later', 3), 429, 'TooManyRequests'],
  ] as const)('puts a refusal into the answer: %s', async ([error, code, reason]) => {
    step = () => Promise.reject(error);
    const { status, body } = await review('/validate/p');
    expect([status, body.response.allowed]).toEqual([200, false]);
    expect(body.response.status).toMatchObject({ code, reason, message: error.message });
  });

  it('tells changes as a patch, and warnings without what a header cannot hold', async () => {
    step = async ({ object }, report) => {
      Object.assign(object ?? {}, { spec: { nodeName: 'x' } });
      report.warn('one\ntwo');
    };
    const { body } = await review('/mutate/p');
    const { patchType, patch, warnings } = body.response;
    expect([patchType, warnings]).toEqual(['JSONPatch', ['one two']]);
    expect(JSON.parse(Buffer.from(patch, 'base64').toString())).toEqual([
      { op: 'add', path: '/spec/nodeName', value: 'x' },
    ]);
  });

  it('leaves the patch out where nothing changed', async () => {
    expect((await review('/mutate/p')).body.response).toEqual({ uid: 'u1', allowed: true });
  });

  it('shows own kinds by their own names, and nothing of the host’s kinds of these names', async () => {
    const seen: unknown[] = [];
    step = async ({ resource, object, subresource, namespace }) =>
      void seen.push([resource, object?.apiVersion, subresource, namespace]);
    const quota = { apiVersion: 'core.example.org/v1', kind: 'ResourceQuota', metadata: { name: 'q' } };
    const kind = { group: 'core.example.org', version: 'v1', kind: 'ResourceQuota' };
    await review('/validate/p', {
      resource: { group: 'core.example.org', version: 'v1', resource: 'resourcequotas' },
      kind,
      object: quota,
    });
    await review('/validate/p', { resource: { group: '', version: 'v1', resource: 'resourcequotas' } });
    await review('/validate/p', {
      resource: { group: 'apps', version: 'v1', resource: 'deployments' },
      subResource: 'scale',
      namespace: '',
    });
    expect(seen).toEqual([
      [{ group: '', version: 'v1', resource: 'resourcequotas' }, 'v1', undefined, 'n'],
      [{ group: 'apps', version: 'v1', resource: 'deployments' }, 'v1', 'scale', undefined],
    ]);
  });

  it('only tells in an audit', async () => {
    mode = 'Audit';
    step = async ({ object }) => {
      Object.assign(object ?? {}, { spec: { nodeName: 'x' } });
      throw makeForbiddenError('', 'pods', 'p', 'no');
    };
    const { response } = (await review('/validate/p')).body;
    const text = 'pods "p" is forbidden: no';
    expect(response).toEqual({
      ...{ uid: 'u1', allowed: true, warnings: [`would be refused: ${text}`] },
      auditAnnotations: { reviewUid: 'u1', 'would-be-refused': text },
    });
    step = async ({ object }) => void Object.assign(object ?? {}, { spec: { nodeName: 'x' } });
    expect((await review('/mutate/p')).body.response.patch).toBeUndefined();
    expect((await review('/mutate/always')).body.response.patch).toBeDefined();
  });

  it('decides nothing when decisions are off', async () => {
    mode = 'Off';
    step = () => Promise.reject(new Error('not to be called'));
    expect((await review('/validate/p')).body.response).toEqual({ uid: 'u1', allowed: true });
  });

  it('leaves what it cannot decide to the failure policy', async () => {
    step = () => Promise.reject(new Error('secret'));
    const failed = await review('/validate/p');
    expect([failed.status, failed.body.reason]).toEqual([500, 'InternalError']);
    expect(JSON.stringify(failed.body)).not.toContain('secret');
    step = () => new Promise(() => undefined);
    const late = await review('/validate/p?timeout=100ms');
    expect([late.status, late.body.reason]).toEqual([504, 'Timeout']);
  });

  it.for<[string, unknown, Record<string, string>, number, string]>([
    ['no JSON', '{', {}, 400, 'the body is not JSON'],
    ['another kind', { kind: 'Pod' }, {}, 400, 'the body is not an AdmissionReview'],
    [
      'an old version',
      { ...makeReview(), apiVersion: 'admission.k8s.io/v1beta1' },
      {},
      400,
      '"admission.k8s.io/v1beta1", and must be "admission.k8s.io/v1"',
    ],
    ['no request', { ...makeReview(), request: null }, {}, 400, 'has no request'],
    ['no uid', makeReview({ uid: '' }), {}, 400, 'request.uid'],
    ['an operation of its own', makeReview({ operation: 'BREAK' }), {}, 400, 'request.operation'],
    ['a resource without a name', makeReview({ resource: { group: '' } }), {}, 400, 'request.resource'],
    ['an object without metadata', makeReview({ object: {} }), {}, 400, 'request.object'],
    ['a user without shape', makeReview({ userInfo: { groups: 'g' } }), {}, 400, 'request.userInfo'],
    ['a name that is none', makeReview({ name: 1 }), {}, 400, 'request.name'],
    [
      'too much depth',
      `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
      {},
      400,
      'has no request',
    ],
    ['another content type', makeReview(), { 'content-type': 'text/plain' }, 415, 'application/json'],
  ])('refuses %s', async ([, body, headers, code, text]) => {
    const { status, body: answer } = await send('/validate/p', body, headers);
    expect([status, answer.message]).toEqual([code, expect.stringContaining(text)]);
  });

  it('refuses what nests too deep', async () => {
    const depth = 3_000;
    const text = JSON.stringify(makeReview()).replace(
      '"spec":{}',
      `"spec":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
    );
    expect((await send('/validate/p', text)).body.message).toContain('nests more than');
  });

  it('refuses what is too large, other methods and other paths', async () => {
    const large = await send('/validate/p', 'x'.repeat(maxReviewBytes + 1)).catch(
      (error: NodeJS.ErrnoException) => error.code,
    );
    // A caller that is still sending may not come to read the answer.
    if (typeof large === 'string') expect(['EPIPE', 'ECONNRESET']).toContain(large);
    else expect([large?.status, large?.headers.connection]).toEqual([413, 'close']);
    expect((await send('/validate/p', '', {}, 'GET')).status).toBe(405);
    expect((await send('/', makeReview())).status).toBe(404);
    expect((await send('/validate/p/', makeReview())).status).toBe(404);
  });

  it.for(['//', '//:x', 'http://[', '//a:99999/', '*', '/%zz', '/validate/p#x'])(
    'outlives the target %s',
    async (path) => {
      expect((await send(path, makeReview())).status).toBe(404);
      expect((await review('/validate/p')).status).toBe(200);
    },
  );

  it('takes no more bodies at once than it has room for', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    step = () => {
      entered.resolve();
      return promise;
    };
    const filler = { object: { ...pod, filler: 'x'.repeat(60_000) } };
    const first = review('/validate/p', filler);
    await entered.promise;
    const late = await review('/validate/p', filler);
    expect([late.status, late.headers['retry-after']]).toEqual([429, '1']);
    resolve();
    expect((await first).status).toBe(200);
    expect((await review('/validate/p', filler)).status).toBe(200);
  });

  it('gives up a body that stops in the middle, and the room that it had', async () => {
    const filler = { object: { ...pod, filler: 'x'.repeat(60_000) } };
    const text = JSON.stringify(makeReview(filler));
    const sent = Promise.withResolvers<number>();
    const headers = { 'content-type': 'application/json', 'content-length': String(text.length) };
    const path = '/validate/p?timeout=500ms';
    const call = sendHttps({ host: '127.0.0.1', port, path, method: 'POST', agent, headers }, ({ statusCode }) =>
      sent.resolve(statusCode ?? 0),
    );
    call.on('error', () => undefined);
    call.write(text.slice(0, -1));
    expect(await sent.promise).toBe(504);
    call.destroy();
    expect((await review('/validate/p', filler)).status).toBe(200);
  });

  it('logs a refusal with the uid of the review', async () => {
    step = () => Promise.reject(makeForbiddenError('', 'pods', 'p', 'no'));
    await review('/validate/p');
    expect(lines).toEqual([
      expect.objectContaining({
        reviewUid: 'u1',
        webhook: '/validate/p',
        outcome: 'refused',
        code: 403,
        username: 'someone',
      }),
    ]);
  });

  it('keeps connections until it is about to end', async () => {
    expect((await review('/validate/p')).headers.connection).toBe('keep-alive');
    isDraining = true;
    expect((await review('/validate/p')).headers.connection).toBe('close');
  });

  it('counts calls and decisions', async () => {
    await review('/validate/p');
    step = () => Promise.reject(makeForbiddenError('', 'pods', 'p', 'no'));
    await review('/validate/p', { dryRun: true });
    await send('/validate/p', '{');
    const text = await metrics.metrics();
    expect(text).toContain('controller_runtime_webhook_requests_total{webhook="/validate/p",code="200"} 2');
    expect(text).toContain('controller_runtime_webhook_requests_total{webhook="/validate/p",code="400"} 1');
    expect(text).toContain('controller_runtime_webhook_requests_in_flight{webhook="/validate/p"} 0');
    expect(text).toContain('controller_runtime_webhook_latency_seconds_count{webhook="/validate/p"} 3');
    expect(text).toContain(
      'bailiwick_webhook_decisions_total{webhook="/validate/p",outcome="refused",dry_run="true"} 1',
    );
  });
});
