import { request as sendHttps } from 'node:https';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { startAgentProgram, type AgentRun } from './agent/start-agent-program.ts';
import { containerdSocket } from './cluster/containerd-files.ts';
import { describeNode } from './cluster/describe-node.ts';
import type { NodeCluster } from './cluster/node-cluster.ts';
import { busyboxReference, workloadReference } from './cluster/small-images.ts';
import { startNodeCluster } from './cluster/start-node-cluster.ts';

/** Who asks: a certificate, a token, or nobody. */
interface Caller {
  readonly certificate?: string;
  readonly key?: string;
  readonly token?: string;
}

interface Answer {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly body: string;
}

function ask(url: string, method: string, path: string, caller: Caller): Promise<Answer> {
  const headers = caller.token === undefined ? {} : { authorization: `Bearer ${caller.token}` };
  const { certificate: cert, key } = caller;
  return new Promise((resolve, reject) => {
    const sent = sendHttps(`${url}${path}`, { method, headers, cert, key, rejectUnauthorized: false }, (message) => {
      const { statusCode: status = 0, headers: answered } = message;
      const contentType = answered['content-type'];
      text(message).then((body) => resolve({ status, contentType, body }), reject);
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** The answer without what two programs cannot have in common: where they keep archives, and when each was made. */
function normalise(answer: Answer): Answer {
  const place = /"[^"]*\/checkpoints\/(checkpoint-[^"]*-)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z\.tar"/g;
  return { ...answer, body: answer.body.replaceAll(place, '"CHECKPOINTS/$1TIME.tar"') };
}

const pods = [
  { name: 'p', containers: [{ name: 'c', image: workloadReference, args: ['4', 'txet'] }] },
  {
    name: 'two',
    containers: [
      { name: 'a', image: workloadReference },
      { name: 'b', image: workloadReference },
    ],
    initContainers: [{ name: 'first', image: busyboxReference, command: ['true'] }],
  },
  {
    name: 'done',
    restartPolicy: 'Never',
    containers: [{ name: 'c', image: busyboxReference, command: ['true'] }],
  },
];

describeNode(
  'the node agent and the kubelet of the same node',
  () => {
    let cluster: NodeCluster;
    let agent: AgentRun;
    const callers = new Map<string, Caller>();
    const askBoth = async (caller: string, method: string, path: string): Promise<readonly [Answer, Answer]> => {
      const identity = callers.get(caller) ?? {};
      const kubelet = `https://${cluster.network.nodeAddress}:10250`;
      // One after the other: both have the same containers dumped.
      const expected = normalise(await ask(kubelet, method, path, identity));
      return [normalise(await ask(agent.url, method, path, identity)), expected];
    };

    beforeAll(async () => {
      cluster = await startNodeCluster();
      const make = (name: string, rules: readonly string[]): Promise<string> =>
        cluster.kubectl(['create', 'clusterrole', name, '--resource', rules[0] ?? '', '--verb', rules[1] ?? '']);
      await make('checkpointer', ['nodes/checkpoint', 'create']);
      await make('proxier', ['nodes/proxy', 'create,get']);
      await make('reader', ['nodes/metrics,nodes/pods,nodes/healthz,nodes/configz', 'get']);
      for (const role of ['checkpointer', 'proxier', 'reader']) {
        await cluster.kubectl(['create', 'clusterrolebinding', role, `--clusterrole=${role}`, `--user=${role}`]);
        callers.set(role, await cluster.issueClientCertificate(role, []));
      }
      callers.set('administrator', await cluster.issueClientCertificate('root', ['system:masters']));
      callers.set('stranger', await cluster.issueClientCertificate('stranger', ['visitors']));
      callers.set('token', { token: (await cluster.kubectl(['create', 'token', 'default'])).trim() });
      callers.set('bad token', { token: 'nonsense' });
      for (const { name, ...spec } of pods) {
        const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec };
        await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(pod));
      }
      await cluster.kubectl(['wait', 'pod/p', 'pod/two', '--for=condition=Ready', '--timeout=300s']);
      await cluster.kubectl(['wait', 'pod/done', '--for=jsonpath={.status.phase}=Succeeded', '--timeout=300s']);
      const rootDir = join(cluster.folder, 'agent');
      await mkdir(rootDir);
      const socket = `/proc/${cluster.pids.get('machine')}/root${containerdSocket}`;
      agent = await startAgentProgram({
        rootDir,
        nodeName: cluster.nodeName,
        hasNoClientAuthority: true,
        flags: [
          ...['--client-ca-file', join(cluster.folder, 'pki/ca.crt'), '--kubeconfig', cluster.kubeconfig],
          ...['--container-runtime-endpoint', `unix://${socket}`, '--namespace', 'default'],
        ],
      });
    });
    afterAll(async () => {
      await agent?.end();
      await cluster?.stop();
    });

    it.for([
      ['POST', '/checkpoint/default/p/c'],
      ['POST', '/checkpoint/default/p/c?timeout=0'],
      ['POST', '/checkpoint/default/p/c?timeout=300'],
      ['POST', '/checkpoint/default/p/c?timeout='],
      ['POST', '/checkpoint/default/p/c?timeout=abc'],
      ['POST', '/checkpoint/default/p/c?timeout=-1'],
      ['POST', '/checkpoint/default/p/c?timeout=1.5'],
      ['POST', '/checkpoint/default/p/c?timeout=+1'],
      ['POST', '/checkpoint/default/p/c?timeout=99999999999999999999'],
      ['POST', '/checkpoint/default/p/c?timeout=300&timeout=abc'],
      ['POST', '/checkpoint/default/p/c?timeout=abc&timeout=1'],
      ['POST', '/checkpoint/default/p/nothing'],
      ['POST', '/checkpoint/default/nothing/c'],
      ['POST', '/checkpoint/nowhere/p/c'],
      ['POST', '/checkpoint/default/two/a'],
      ['POST', '/checkpoint/default/two/b'],
      ['POST', '/checkpoint/default/two/first'],
      ['POST', '/checkpoint/default/done/c'],
      ['POST', '/checkpoint/default/p/%63'],
      ['POST', '/checkpoint/default/p/c%2Fd'],
      ['POST', '/checkpoint/default/p'],
      ['POST', '/checkpoint/default/p/'],
      ['POST', '/checkpoint/default/p/c/'],
      ['POST', '/checkpoint/default/p/c/d'],
      ['GET', '/checkpoint/default/p/c'],
      ['PUT', '/checkpoint/default/p/c'],
      ['DELETE', '/checkpoint/default/p/c'],
      ['GET', '/healthz'],
      ['GET', '/nowhere'],
      ['POST', '/nowhere'],
    ] as const)('answer %s %s alike', async ([method, path]) => {
      const [own, expected] = await askBoth('administrator', method, path);
      expect(own).toEqual(expected);
    });

    it.for([
      ['nobody', 'POST', '/checkpoint/default/p/c'],
      ['nobody', 'GET', '/healthz'],
      ['nobody', 'GET', '/metrics'],
      ['nobody', 'GET', '/nowhere'],
      ['bad token', 'POST', '/checkpoint/default/p/c'],
      ['stranger', 'POST', '/checkpoint/default/p/c'],
      ['stranger', 'GET', '/checkpoint/default/p/c'],
      ['stranger', 'POST', '/checkpoint/default/nothing/c'],
      ['stranger', 'GET', '/metrics'],
      ['stranger', 'GET', '/pods'],
      ['stranger', 'GET', '/configz'],
      ['stranger', 'GET', '/healthz'],
      ['stranger', 'GET', '/nowhere'],
      ['token', 'POST', '/checkpoint/default/p/c'],
      ['token', 'GET', '/pods'],
      ['checkpointer', 'POST', '/checkpoint/default/p/nothing'],
      ['checkpointer', 'GET', '/pods'],
      ['proxier', 'POST', '/checkpoint/default/p/nothing'],
      ['proxier', 'GET', '/nowhere'],
      ['reader', 'POST', '/checkpoint/default/p/c'],
    ] as const)('let %s %s %s alike', async ([caller, method, path]) => {
      const [own, expected] = await askBoth(caller, method, path);
      expect(own).toEqual(expected);
    });

    it.for([
      ['checkpointer', '/metrics'],
      ['proxier', '/pods'],
      ['proxier', '/healthz'],
      ['proxier', '/configz'],
      ['reader', '/metrics'],
      ['reader', '/pods'],
      ['reader', '/configz'],
      ['reader', '/healthz'],
    ] as const)('let %s read %s or not, alike', async ([caller, path]) => {
      const [own, expected] = await askBoth(caller, 'GET', path);
      // The kubelet's library of metrics names a way of escaping that is of no use here.
      const [type] = expected.contentType?.split('; escaping=') ?? [];
      expect([own.status, own.contentType]).toEqual([expected.status, type]);
    });

    it('name the same pods, containers, states and addresses', async () => {
      const [own, expected] = await askBoth('administrator', 'GET', '/pods');
      interface Listed {
        readonly items: readonly {
          readonly metadata: { readonly namespace: string; readonly name: string; readonly uid: string };
          readonly status: {
            readonly podIP?: string;
            readonly containerStatuses?: readonly { readonly name: string; readonly state: object }[];
          };
        }[];
      }
      const read = (answer: Answer): unknown =>
        (JSON.parse(answer.body) as Listed).items
          .map(({ metadata: { namespace, name, uid }, status }) => ({
            ...{ namespace, name, uid },
            // The kubelet forgets the address of a pod that has ended.
            address: name === 'done' ? undefined : status.podIP,
            containers: (status.containerStatuses ?? [])
              .map(({ name: container, state }) => `${container} ${Object.keys(state).join()}`)
              // A runtime does not know what is there to initialize others.
              .filter((line) => !line.startsWith('first '))
              .toSorted(),
          }))
          .toSorted((one, other) => (one.name < other.name ? -1 : 1));
      expect(read(own)).toEqual(read(expected));
    });
  },
  { checkpoints: true },
);
