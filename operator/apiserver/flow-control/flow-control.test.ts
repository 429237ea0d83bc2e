import { request } from 'node:https';
import { afterEach, describe, expect, it } from 'vitest';
import { planFlowConfiguration } from '../../../kinds/flowcontrol/plan-flow-configuration.ts';
import { binding, bindings, eventually, FlowService, levelHeader, schemaHeader } from './testdata/flow-service.ts';

const queues = { queues: 4, handSize: 1, queueLengthLimit: 2 };
let subject: FlowService;

afterEach(() => subject.stop());

async function dump(name: string): Promise<string[][]> {
  const { text } = await subject.service.send('GET', `/debug/api_priority_and_fairness/${name}`);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/, */));
}

describe('a service with flow control', () => {
  it('says in every answer which objects took the request', async () => {
    subject = await FlowService.start();
    const held = await subject.hold();
    held.release();
    expect((await held.answer).headers).toMatchObject({
      [schemaHeader]: 'uid-of-bindings',
      [levelHeader]: 'uid-of-narrow',
    });
    // Objects that are not stored have no uid.
    expect((await subject.service.send('GET', '/version')).headers).toMatchObject({
      [schemaHeader]: '',
      [levelHeader]: '',
    });
    const refused = await subject.service.send('GET', '/api/v1/nothing');
    expect([refused.code, Object.hasOwn(refused.headers, schemaHeader)]).toEqual([404, true]);
  });

  it('refuses what a level without queues has no seat for', async () => {
    subject = await FlowService.start();
    const held = await subject.hold();
    const refused = await subject.send();
    expect(refused.headers).toMatchObject({ 'retry-after': '1', [levelHeader]: 'uid-of-narrow' });
    expect(refused.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message:
        'Too many requests, please try again later. Flow schema "bindings", priority level "narrow": all seats of the level are taken.',
      reason: 'TooManyRequests',
      details: {
        causes: [
          { reason: 'FlowSchema', message: 'bindings' },
          { reason: 'PriorityLevelConfiguration', message: 'narrow' },
          { reason: 'Refusal', message: 'concurrency-limit' },
        ],
        retryAfterSeconds: 1,
      },
      code: 429,
    });
    held.release();
    expect((await held.answer).code).toBe(201);
    const next = await subject.hold();
    next.release();
    expect((await next.answer).code).toBe(201);
  });

  it('tells names only to those who may list the objects', async () => {
    subject = await FlowService.start({ mayList: false });
    await subject.hold();
    const { body, code } = await subject.send();
    expect(code).toBe(429);
    expect(body).toMatchObject({
      message: 'Too many requests, please try again later.',
      details: { retryAfterSeconds: 1 },
    });
    expect(JSON.stringify(body)).not.toMatch(/narrow|bindings/);
  });

  it('has others wait, in the order in which they came', async () => {
    subject = await FlowService.start({ queuing: queues });
    const held = await subject.hold();
    const order: string[] = [];
    const waiting: Promise<unknown>[] = [];
    for (const name of ['first', 'second']) {
      waiting.push(subject.send(bindings, name).then(({ code }) => order.push(`${name} ${code}`)));
      await subject.awaitWaiting(waiting.length);
    }
    const full = await subject.send();
    expect(full.body).toMatchObject({ code: 429, message: expect.stringContaining('the queue of its flow is full') });
    held.release();
    expect((await held.answer).code).toBe(201);
    await subject.awaitWaiting(1);
    subject.open();
    await Promise.all(waiting);
    expect(order).toEqual(['first 201', 'second 201']);
  });

  it('refuses what has waited for a quarter of its time', async () => {
    subject = await FlowService.start({ queuing: queues });
    await subject.hold();
    const { body } = await subject.send(`${bindings}?timeout=8s`);
    expect(body).toMatchObject({ code: 429, message: expect.stringContaining('it has waited as long as it may') });
    expect(subject.level()?.waiting).toBe(0);
  });

  it('takes those out of the queue whose clients go away', async () => {
    subject = await FlowService.start({ queuing: queues });
    const held = await subject.hold();
    const client = request({
      ...{ host: '127.0.0.1', port: subject.service.port, path: bindings, method: 'POST', rejectUnauthorized: false },
      headers: { authorization: 'Bearer test', 'content-type': 'application/json' },
    });
    client.on('error', () => undefined);
    client.end(JSON.stringify(binding));
    await subject.awaitWaiting(1);
    client.destroy();
    await subject.awaitWaiting(0);
    held.release();
    await held.answer;
    await eventually(() => expect(subject.level()).toMatchObject({ executing: 0, dispatched: 1, cancelled: 1 }));
    expect(subject.flowControl.dispatcher.deadlineTimerCount).toBe(0);
  });

  it('refuses those that wait when the service shuts down, and ends what it serves', async () => {
    subject = await FlowService.start({ queuing: queues });
    const held = await subject.hold();
    const waiting = [subject.send(), subject.send()];
    await subject.awaitWaiting(2);
    const stopped = subject.shutDown();
    for (const { body, headers } of await Promise.all(waiting)) {
      expect(headers).toMatchObject({ 'retry-after': '1', connection: 'close' });
      expect(body).toMatchObject({ code: 429, message: expect.stringContaining('the service is shutting down') });
    }
    held.release();
    expect((await held.answer).code).toBe(201);
    await stopped;
    expect(subject.level()).toMatchObject({ waiting: 0, executing: 0, dispatched: 1 });
  });

  it('has nobody wait any more once it shuts down', async () => {
    subject = await FlowService.start({ queuing: queues });
    await subject.hold();
    await subject.flowControl.refuseWaiting();
    expect((await subject.send()).body).toMatchObject({ code: 429, details: { retryAfterSeconds: 1 } });
  });

  it('seats watches only while they start, and counts them for those who write', async () => {
    subject = await FlowService.start();
    const watches = await Promise.all(
      Array.from({ length: 1 }, () =>
        subject.service.watch(
          '/api/v1/configmaps?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
        ),
      ),
    );
    for (const watch of watches) expect((await watch.next()).type).toBe('BOOKMARK');
    // There is one seat at the level that all of this is at.
    for (let turn = 1; turn < 25; turn += 1) {
      const watch = await subject.service.watch('/api/v1/configmaps?watch=1');
      expect(watch.code).toBe(200);
      watches.push(watch);
      await eventually(() => expect(subject.flowControl.dispatcher.dump()[0]?.executing).toBe(0));
    }
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } };
    expect((await subject.service.send('POST', '/api/v1/namespaces/n/configmaps', { body })).code).toBe(201);
    await eventually(() => expect(subject.log.find(({ verb }) => verb === 'create')).toBeDefined());
    expect(subject.log.find(({ verb }) => verb === 'create')).toMatchObject({
      ...{
        initialSeats: 1,
        finalSeats: 3,
        additionalLatencyMillis: 5,
        flowSchema: 'catch-all',
        priorityLevel: 'catch-all',
      },
    });
    for (const watch of watches) watch.close();
    await eventually(async () => {
      subject.log.length = 0;
      await subject.service.send('DELETE', '/api/v1/namespaces/n/configmaps/none');
      expect(subject.log.at(-1)).toMatchObject({ verb: 'delete', finalSeats: 0 });
    });
  });

  it('notes flow and level in the log, and the wait in the audit log, too', async () => {
    subject = await FlowService.start({ queuing: queues });
    await subject.hold();
    const waiting = subject.send();
    await subject.awaitWaiting(1);
    subject.open();
    expect((await waiting).code).toBe(201);
    expect(subject.log.filter(({ code }) => code === 201).at(-1)).toMatchObject({
      msg: 'a request has ended',
      ...{ method: 'POST', path: bindings, user: 'tester', userAgent: 'tester/1.0' },
      ...{ flowSchema: 'bindings', priorityLevel: 'narrow', initialSeats: 1 },
    });
    expect(Number(subject.log.filter(({ code }) => code === 201).at(-1)?.['waitedMillis'])).toBeGreaterThan(0);
    await eventually(() => {
      const ended = subject.audited.filter(({ stage }) => stage === 'ResponseComplete');
      const { annotations = {} } = ended.at(-1) ?? {};
      expect(annotations['apiserver.latency.k8s.io/apf-queue-wait']).toMatch(/^\d+\.\d{3}ms$/);
      // Kubernetes names neither in its audit log, and what it records is compared with ours.
      expect(Object.keys(annotations).filter((key) => key.startsWith('flowcontrol'))).toEqual([]);
    });
  });

  it('shows what goes on', async () => {
    subject = await FlowService.start({ queuing: queues });
    await subject.hold();
    void subject.send();
    await subject.awaitWaiting(1);
    expect(await dump('dump_priority_levels')).toContainEqual([
      'narrow',
      '1',
      'false',
      'false',
      '1',
      '1',
      '1',
      '0',
      '0',
      '0',
    ]);
    const busy = (await dump('dump_queues')).filter(([name, , , , seats]) => name === 'narrow' && seats === '1');
    expect(busy).toEqual([
      ['narrow', expect.any(String), '1', '1', '1', expect.stringMatching(/^\d+\.\d{8}ss$/), '1', '1', '0.00300000ss'],
    ]);
    const time = expect.stringMatching(/^20\d\d-\d\d-\d\dT[\d:.]+Z$/);
    const never = '0001-01-01T00:00:00Z';
    const requests = (await dump('dump_requests?includeRequestDetails=1')).filter(([name]) => name === 'narrow');
    const details = ['tester', 'create', bindings, 'n', 'p', 'v1', 'pods', 'binding'];
    const queue = busy[0]?.[1];
    expect(requests).toEqual([
      ['narrow', 'bindings', queue, '0', 'n', time, '1', '0', '0s', never, ...details],
      ['narrow', 'bindings', queue, '-1', 'n', time, '1', '0', '0s', time, ...details],
    ]);
    expect((await dump('dump_requests'))[0]).toHaveLength(10);
    const executing = (await dump('dump_executing_requests')).filter(([name]) => name === 'narrow');
    expect(executing).toEqual([
      ['narrow', 'bindings', 'n', '1', time, expect.stringMatching(/^\d+\.\d{3}$/), expect.any(String), ...details],
    ]);
    const { text } = await subject.service.send('GET', '/metrics');
    for (const line of [
      'apiserver_flowcontrol_current_inqueue_requests{flow_schema="bindings",priority_level="narrow"} 1',
      'apiserver_flowcontrol_current_executing_requests{flow_schema="bindings",priority_level="narrow"} 1',
      'apiserver_flowcontrol_nominal_limit_seats{priority_level="narrow"} 1',
      'apiserver_current_inqueue_requests{request_kind="mutating"} 1',
    ]) {
      expect(text.split('\n')).toContain(line);
    }
  });

  it('keeps those that wait when objects change, and gives a level up when it has drained', async () => {
    subject = await FlowService.start({ queuing: queues });
    const held = await subject.hold();
    const waiting = subject.send();
    await subject.awaitWaiting(1);
    subject.flowControl.configure(planFlowConfiguration([], [], 'bailiwick.dev'));
    expect(subject.level()).toMatchObject({ isQuiescing: true, waiting: 1, executing: 1 });
    held.release();
    await eventually(() => expect(subject.level()).toMatchObject({ waiting: 0, executing: 1 }));
    subject.open();
    expect((await waiting).code).toBe(201);
    await eventually(() => expect(subject.level()).toBeUndefined());
  });

  it('is no matter of requests that go on for long', async () => {
    subject = await FlowService.start();
    const { headers } = await subject.service.send('GET', '/api/v1/namespaces/n/pods/p/log');
    expect(Object.hasOwn(headers, schemaHeader)).toBe(false);
  });
});
