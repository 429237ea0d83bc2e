import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import {
  agentsRoot,
  makeRecord,
  recordName,
  sendJson,
  startAgentsService,
  testDomain,
  type AgentsService,
  type ServeAgent,
} from './start-agents-service.ts';

let rig: AgentsService;

beforeEach(async () => {
  rig = await startAgentsService();
});

afterEach(() => rig.stop());

describe('an archive', () => {
  const path = `${agentsRoot}/namespaces/n/checkpoints/${recordName}/archive`;

  /** An agent that has one archive of these bytes. */
  function keep(bytes: Buffer): ServeAgent {
    return (request, response) => {
      if (!request.url?.endsWith('/archive')) return sendJson(response, 200, makeRecord());
      const span = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
      const common = { 'set-cookie': 'a=b', 'x-own': 'y', 'content-type': 'text/html' };
      if (span === null) return void response.writeHead(200, { ...common, 'content-length': bytes.length }).end(bytes);
      const start = Number(span[1]);
      if (start >= bytes.length)
        return void response.writeHead(416, { 'content-range': `bytes */${bytes.length}` }).end();
      const part = bytes.subarray(start, span[2] === '' ? undefined : Number(span[2]) + 1);
      const range = `bytes ${start}-${start + part.length - 1}/${bytes.length}`;
      response.writeHead(206, { ...common, 'content-range': range, 'content-length': part.length }).end(part);
    };
  }

  it('comes as it is, without headers of the agent’s own', async () => {
    await rig.startAgent('a', keep(Buffer.from('archive')));
    const answer = await rig.send('GET', path, { headers: { accept: 'application/x-tar' } });
    expect([answer.code, answer.text]).toEqual([200, 'archive']);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/x-tar',
      'content-length': '7',
      'content-disposition': `attachment; filename="${recordName}.tar"`,
      'x-content-type-options': 'nosniff',
    });
    expect(answer.headers).not.toHaveProperty('set-cookie');
    expect(answer.headers).not.toHaveProperty('x-own');
  });

  it('comes in parts', async () => {
    await rig.startAgent('a', keep(Buffer.from('archive')));
    const part = await rig.send('GET', path, { headers: { range: 'bytes=2-4' } });
    expect([part.code, part.text, part.headers['content-range']]).toEqual([206, 'chi', 'bytes 2-4/7']);
    const behind = await rig.send('GET', path, { headers: { range: 'bytes=9-' } });
    expect([behind.code, behind.headers['content-range']]).toEqual([416, 'bytes */7']);
    const several = await rig.send('GET', path, { headers: { range: 'bytes=0-1,3-4' } });
    expect([several.code, several.text]).toEqual([200, 'archive']);
  });

  it('is broken off for the client when it is for the service, and has a length', async () => {
    await rig.startAgent('a', (request, response) => {
      if (!request.url?.endsWith('/archive')) return sendJson(response, 200, makeRecord());
      response.writeHead(200, { 'content-length': 100 }).write('half');
      setTimeout(() => response.destroy(), 50);
    });
    await expect(rig.send('GET', path)).rejects.toThrow(/aborted|socket hang up|ECONNRESET/);
  });

  it('is refused without a length', async () => {
    await rig.startAgent('a', (request, response) => {
      if (!request.url?.endsWith('/archive')) return sendJson(response, 200, makeRecord());
      response.writeHead(200).write('x');
    });
    const answer = await rig.send('GET', path);
    expect(answer.body.message).toBe('the agent of node "a" cannot be asked: it does not say how long the archive is');
  });

  it('comes no faster than its client takes it, and not at all once that has gone', async () => {
    const total = 256 << 20;
    let sent = 0;
    const closed = Promise.withResolvers<void>();
    await rig.startAgent('a', (request, response) => {
      if (!request.url?.endsWith('/archive')) return sendJson(response, 200, makeRecord());
      response.writeHead(200, { 'content-length': total });
      response.on('close', () => closed.resolve());
      const block = Buffer.alloc(1 << 20);
      const push = (): void => {
        while (sent < total && !response.destroyed) {
          sent += block.length;
          if (!response.write(block)) return void response.once('drain', push);
        }
      };
      push();
    });
    const stream = await rig.openStream('GET', path);
    expect(stream.code).toBe(200);
    let before = -1;
    // Until the buffers on the way are full.
    while (before !== sent) {
      before = sent;
      await wait(200);
    }
    expect(sent).toBeLessThan(64 << 20);
    stream.close();
    await closed.promise;
    expect(sent).toBeLessThan(total);
  });

  it('is no fault in the log where its client leaves, and is one where the agent breaks it off', async () => {
    const lines: string[] = [];
    const logged = await startAgentsService(pino({ level: 'debug' }, { write: (line) => void lines.push(line) }));
    onTestFinished(() => logged.stop());
    const agents: ServerResponse[] = [];
    await logged.startAgent('a', (request, response) => {
      if (!request.url?.endsWith('/archive')) return sendJson(response, 200, makeRecord());
      agents.push(response);
      response.writeHead(200, { 'content-length': 100 }).write('half');
    });
    const countEnded = (): number => lines.filter((line) => line.includes('a request has ended')).length;
    const listFaults = (): string[] => lines.filter((line) => line.includes('a request failed'));
    const ended = countEnded();
    const left = await logged.openStream('GET', path);
    left.close();
    await expect.poll(countEnded).toBe(ended + 1);
    expect(listFaults()).toEqual([]);
    await logged.openStream('GET', path);
    agents.at(-1)?.destroy();
    await expect.poll(countEnded).toBe(ended + 2);
    expect(listFaults()).toEqual([expect.stringContaining('its answer was broken off')]);
  });
});

describe('what is said of checkpoints', () => {
  it('is discovered, the request of a pod included', async () => {
    const { body } = await rig.send('GET', agentsRoot);
    expect(body.resources).toEqual([
      {
        name: 'checkpoints',
        singularName: 'checkpoint',
        namespaced: true,
        kind: 'Checkpoint',
        verbs: ['delete', 'get', 'list', 'patch', 'update'],
        shortNames: ['ckpt'],
      },
      { name: 'checkpoints/archive', singularName: '', namespaced: true, kind: 'Checkpoint', verbs: ['get'] },
      { name: 'pods/checkpoint', singularName: '', namespaced: true, kind: 'Checkpoint', verbs: ['create'] },
    ]);
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const aggregated = await rig.send('GET', '/apis', { headers: { accept } });
    const group = aggregated.body.items.find((item: KubeObject) => item.metadata.name === `node.${testDomain}`);
    expect(group.versions[0].resources).toMatchObject([
      { resource: 'checkpoints', subresources: [{ subresource: 'archive', verbs: ['get'] }] },
      {
        resource: 'pods',
        responseKind: { kind: '' },
        scope: 'Namespaced',
        subresources: [{ subresource: 'checkpoint', verbs: ['create'] }],
      },
    ]);
  });

  it('is in OpenAPI', async () => {
    const { body } = await rig.send('GET', `/openapi/v3${agentsRoot}`);
    const post = body.paths[`${agentsRoot}/namespaces/{namespace}/pods/{name}/checkpoint`].post;
    expect(post.parameters.map((parameter: { name: string }) => parameter.name)).toEqual([
      'name',
      'namespace',
      'container',
      'progress',
      'timeoutSeconds',
    ]);
    expect(post.operationId).toBe('createNodeV1NamespacedPodsCheckpoint');
    expect(Object.keys(body.paths[`${agentsRoot}/namespaces/{namespace}/checkpoints/{name}/archive`])).toEqual(['get']);
    expect(Object.keys(body.paths[`${agentsRoot}/namespaces/{namespace}/checkpoints/{name}`]).toSorted()).toEqual([
      'delete',
      'get',
      'patch',
      'put',
    ]);
  });
});
