import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeTestAuthority } from './start-test-agent.ts';
import {
  agentsRoot,
  makeRecord,
  recordName,
  sendLines,
  startAgentsService,
  testDomain,
  testToken,
  type AgentsService,
  type ServeAgent,
} from './start-agents-service.ts';

let rig: AgentsService;

beforeEach(async () => {
  rig = await startAgentsService();
});

afterEach(() => rig.stop());

const podPath = `${agentsRoot}/namespaces/n/pods/web/checkpoint`;
const done = { type: 'Done', checkpoint: makeRecord() };
const waiting = { type: 'Progress', phase: 'Waiting', bytes: 0 };
const dumping = { type: 'Progress', phase: 'Dumping', bytes: 5 };

describe('a checkpoint through the API', () => {
  it('is passed to the agent of the node, by the token of the operator and nothing of the caller', async () => {
    const agent = await rig.startAgent('a', (_, response) => {
      sendLines(response, waiting, dumping, done);
      response.end();
    });
    const answer = await rig.send('POST', `${podPath}?timeoutSeconds=30`, {
      headers: { cookie: 'c=1', 'x-remote-user': 'root', 'x-forwarded-for': '1.2.3.4' },
    });
    expect(answer.code).toBe(201);
    expect(answer.body).toMatchObject({
      apiVersion: `node.${testDomain}/v1`,
      kind: 'Checkpoint',
      metadata: { name: recordName, namespace: 'n', uid: expect.stringMatching(/^[\da-f-]{36}$/) },
      spec: { podName: 'web', containerName: 'app', nodeName: 'a' },
      status: { phase: 'Completed', sizeBytes: 7 },
    });
    expect(agent.requests).toEqual(['POST /checkpoint/n/web/app?progress=true&timeout=30']);
    expect(agent.lastHeaders.authorization).toBe(`Bearer ${testToken}-a`);
    expect(Object.keys(agent.lastHeaders).toSorted()).toEqual([
      'accept',
      'authorization',
      'connection',
      'content-length',
      'host',
      'user-agent',
    ]);
  });

  it('streams progress, each line when it comes, and ends with the Checkpoint', async () => {
    let goOn: () => void = () => undefined;
    await rig.startAgent('a', (_, response) => {
      sendLines(response, waiting);
      goOn = () => {
        sendLines(response, dumping, done);
        response.end();
      };
    });
    const stream = await rig.openStream('POST', `${podPath}?progress=true`);
    expect(stream.code).toBe(200);
    expect(stream.headers['content-type']).toBe('application/x-ndjson');
    expect(await stream.next()).toEqual(waiting);
    goOn();
    expect(await stream.next()).toEqual(dumping);
    expect(await stream.next()).toMatchObject({
      type: 'Done',
      checkpoint: { kind: 'Checkpoint', metadata: { name: recordName } },
    });
    expect(await stream.next()).toBeUndefined();
  });

  it.for<[name: string, serve: ServeAgent, code: number, message: string]>([
    [
      'a pod that the node does not have',
      (_, r) => r.writeHead(404).end('pod does not exist'),
      404,
      'pod does not exist',
    ],
    [
      'a container that is not there',
      (_, r) => r.writeHead(404).end('container app does not exist'),
      404,
      'container app does not exist',
    ],
    [
      'the gate being off',
      (_, r) => r.writeHead(404).end('404 page not found\n'),
      503,
      'the agent of node "a" cannot be asked: it takes no checkpoints',
    ],
    [
      'a runtime that fails',
      (_, r) => r.writeHead(500).end('checkpointing of n/web/app failed (rpc error)'),
      500,
      'checkpointing of n/web/app failed (rpc error)',
    ],
    [
      'a runtime that fails late',
      (_, r) => {
        sendLines(r, waiting, { type: 'Error', status: { code: 500, message: 'failed (criu)' } });
        r.end();
      },
      500,
      'failed (criu)',
    ],
    [
      'an agent that refuses the operator',
      (_, r) => r.writeHead(403).end('Forbidden (user=x)'),
      503,
      'the agent of node "a" cannot be asked: it does not let the operator do this (403)',
    ],
    [
      'a redirect',
      (_, r) => r.writeHead(302, { location: 'https://127.0.0.1:1/' }).end(),
      503,
      'the agent of node "a" cannot be asked: it answered with the status 302',
    ],
    [
      'no JSON',
      (_, r) => r.writeHead(200).end('<html>\n'),
      503,
      'the agent of node "a" cannot be asked: its answer is no JSON',
    ],
    [
      'no result',
      (_, r) => {
        sendLines(r, waiting);
        r.end();
      },
      503,
      'the agent of node "a" cannot be asked: it ended its answer without a result',
    ],
    [
      'an agent that dies',
      (_, r) => {
        sendLines(r, waiting);
        setTimeout(() => r.destroy(), 50);
      },
      503,
      'the agent of node "a" cannot be asked: its answer was broken off',
    ],
    [
      'another pod',
      (_, r) => {
        sendLines(r, { type: 'Done', checkpoint: makeRecord({ podName: 'other' }) });
        r.end();
      },
      503,
      'the agent of node "a" cannot be asked: it made a checkpoint of something else',
    ],
    [
      'another namespace',
      (_, r) => {
        sendLines(r, { type: 'Done', checkpoint: makeRecord({ namespace: 'other' }) });
        r.end();
      },
      503,
      'the agent of node "a" cannot be asked: it told of another checkpoint than it was asked for',
    ],
    [
      'a record that is none',
      (_, r) => {
        sendLines(r, { type: 'Done', checkpoint: makeRecord({ name: '../../etc' }) });
        r.end();
      },
      503,
      'the agent of node "a" cannot be asked: a record of it cannot be read: name is no name',
    ],
    [
      'a line without an end',
      (_, r) => r.writeHead(200).write('x'.repeat(1 << 20)),
      503,
      'the agent of node "a" cannot be asked: a line of its answer is too long',
    ],
    [
      'a text without an end',
      (_, r) => {
        r.writeHead(500);
        const flood = (): void => void r.write('x'.repeat(1 << 20), () => r.destroyed || setImmediate(flood));
        flood();
      },
      503,
      'the agent of node "a" cannot be asked: its answer is too long',
    ],
    [
      'a head without an end',
      (_, r) => {
        r.setHeader('x', 'x'.repeat(1 << 20));
        r.end();
      },
      503,
      'the agent of node "a" cannot be asked: its answer cannot be read',
    ],
    ['controls of a terminal', (_, r) => r.writeHead(500).end('a\u001b[2Jb'), 500, 'a�[2Jb'],
    [
      'a status of its own making',
      (_, r) => {
        sendLines(r, { type: 'Error', status: { code: 200, message: 'fine' } });
        r.end();
      },
      503,
      'the agent of node "a" cannot be asked: it failed without a word',
    ],
  ])('tells of %s', async ([, serve, code, message]) => {
    await rig.startAgent('a', serve);
    const answer = await rig.send('POST', podPath);
    expect({ code: answer.code, message: answer.body?.message }).toEqual({ code, message });
    expect(answer.body).toMatchObject({ kind: 'Status', code });
    expect(answer.text).not.toContain(testToken);
  });

  it.for<[name: string, path: string, code: number, message: string]>([
    ['a pod that is not there', podPath.replace('web', 'other'), 404, 'pods "other" not found'],
    ['a container that the pod does not have', `${podPath}?container=x`, 400, 'container x is not valid for pod web'],
    [
      'a time that is none',
      `${podPath}?timeoutSeconds=x`,
      400,
      'invalid timeoutSeconds "x": must be a whole number of seconds',
    ],
    ['a node without an agent', podPath, 503, 'the agent of node "a" cannot be asked: no agent reports from there'],
  ])('refuses %s', async ([, path, code, message]) => {
    const answer = await rig.send('POST', path);
    expect({ code: answer.code, message: answer.body?.message }).toEqual({ code, message });
  });

  it('takes its options from the query alone', async () => {
    const answer = await rig.send('POST', podPath, { body: { timeoutSeconds: 1 } });
    expect(answer.code).toBe(400);
    expect((await rig.send('GET', podPath)).code).toBe(405);
    expect((await rig.send('DELETE', podPath)).code).toBe(405);
    expect((await rig.send('POST', `${agentsRoot}/pods/web/checkpoint`)).code).toBe(404);
    expect((await rig.send('GET', `${agentsRoot}/namespaces/n/pods/web`)).code).toBe(404);
  });

  it('shows no token to whom it does not trust, and names the node', async () => {
    const other = await makeTestAuthority('somebody else');
    const foreign = await rig.addAgent((_, r) => r.end(), ['a'], other);
    const impostor = await rig.addAgent((_, r) => r.end(), ['b', '127.0.0.1', '*.a']);
    await rig.announce('a', foreign.port);
    const refused = await rig.send('POST', podPath);
    expect(refused.body.message).toBe('the agent of node "a" cannot be asked: its certificate is not trusted');
    await rig.makePod('c', 'other');
    await rig.announce('c', impostor.port);
    const mistaken = await rig.send('POST', podPath.replace('web', 'other'));
    expect(mistaken.body.message).toBe('the agent of node "c" cannot be asked: its certificate is not one of the node');
    expect(foreign.requests).toEqual([]);
    expect(impostor.requests).toEqual([]);
    expect(foreign.connections + impostor.connections).toBeGreaterThan(1);
  });

  it('asks nobody while no authority is known, and believes no Lease of another namespace', async () => {
    const agent = await rig.addAgent((_, r) => r.end(), ['a']);
    await rig.announce('a', agent.port, 'n');
    const unknown = await rig.send('POST', podPath);
    expect(unknown.body.message).toBe('the agent of node "a" cannot be asked: no agent reports from there');
    await rig.announce('a', agent.port);
    rig.roots = undefined;
    const untrusted = await rig.send('POST', podPath);
    expect(untrusted.body.message).toBe('the agent of node "a" cannot be asked: no authority of agents is known yet');
    expect(agent.connections).toBe(0);
  });

  it('tells at once of an agent that is gone, by its Lease or by its port', async () => {
    await rig.announce('a', 9, 'system', Date.now() - 120_000);
    const expired = await rig.send('POST', podPath);
    expect(expired.body.message).toMatch(
      /^the agent of node "a" cannot be asked: its agent has not renewed its Lease since/,
    );
    await rig.makePod('b', 'other');
    const gone = await rig.startAgent('b', () => undefined);
    await gone.stop();
    const refused = await rig.send('POST', podPath.replace('web', 'other'));
    expect(refused.body.message).toBe('the agent of node "b" cannot be asked: the connection was refused');
  });

  it('is called off when its client goes', async () => {
    const closed = Promise.withResolvers<void>();
    await rig.startAgent('a', (request, response) => {
      sendLines(response, waiting);
      request.socket.on('close', () => closed.resolve());
    });
    const stream = await rig.openStream('POST', `${podPath}?progress=true`);
    expect(await stream.next()).toEqual(waiting);
    stream.close();
    await closed.promise;
  });

  it('is called off when its time is over, whatever its agent does', async () => {
    await rig.startAgent('a', (_, response) => sendLines(response, waiting));
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((millis) => {
      expect(millis).toBe(16_000);
      const over = new AbortController();
      setTimeout(() => over.abort(new DOMException('late', 'TimeoutError')), 200);
      return over.signal;
    });
    const answer = await rig.send('POST', `${podPath}?timeoutSeconds=1`);
    vi.restoreAllMocks();
    expect(answer.body.message).toBe('the agent of node "a" cannot be asked: it did not answer in time');
  });

  it('holds no seat while its agent works', async () => {
    await rig.startAgent('a', (_, response) => sendLines(response, waiting));
    await rig.makePod('a', 'web', 'm');
    const paths = [podPath, podPath.replace('/n/', '/m/')];
    const streams = await Promise.all(
      Array.from({ length: 30 }, (_, index) => rig.openStream('POST', `${paths[index % 2]}?progress=true`)),
    );
    expect(await Promise.all(streams.map((stream) => stream.next()))).toEqual(streams.map(() => waiting));
    const answer = await rig.send('GET', '/api/v1/namespaces/n/pods/web');
    expect(answer.code).toBe(200);
    for (const stream of streams) stream.close();
  });

  it.for<[name: string, text: string]>([
    ['lines', `${JSON.stringify(waiting)}\n`.repeat(50)],
    ['empty lines', '\n'.repeat(5000)],
  ])('is called off when its agent floods the operator with %s', async ([, text]) => {
    await rig.startAgent('a', (_, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      const push = (): void => {
        while (!response.destroyed && response.write(text));
      };
      response.on('drain', push);
      push();
    });
    const answer = await rig.send('POST', podPath);
    expect(answer.body).toMatchObject({
      code: 503,
      message: 'the agent of node "a" cannot be asked: it tells more than anybody can follow',
    });
  });

  it('is refused with 429 when its namespace has too many under way on a node', async () => {
    await rig.startAgent('a', (_, response) => sendLines(response, waiting));
    const streams = await Promise.all(
      Array.from({ length: 16 }, () => rig.openStream('POST', `${podPath}?progress=true`)),
    );
    const refused = await rig.send('POST', podPath);
    expect(refused.code).toBe(429);
    expect(refused.headers['retry-after']).toBe('5');
    await rig.makePod('a', 'web', 'other');
    const other = await rig.openStream('POST', `${podPath.replace('/n/', '/other/')}?progress=true`);
    expect(other.code).toBe(200);
    other.close();
    for (const stream of streams) stream.close();
    await vi.waitFor(
      async () => {
        const again = await rig.openStream('POST', `${podPath}?progress=true`);
        again.close();
        expect(again.code).toBe(200);
      },
      { timeout: 20_000 },
    );
  });
});
