import { encodeJson } from '../../core/decode/encode-json.ts';
import { makeBadRequestError, makeNotFoundError } from '../../core/errors/make-status-error.ts';
import { StatusError } from '../../core/errors/status.ts';
import type { JsonObject } from '../../core/meta/json.ts';
import { podResource } from '../../kinds/core/pod/pod-resource.ts';
import { planPodCheckpoint } from '../../kinds/node/checkpoint/plan-pod-checkpoint.ts';
import { readCheckpointOptions } from '../../kinds/node/checkpoint/read-checkpoint-options.ts';
import type { Checkpoint } from '../../kinds/node/checkpoint/schema.ts';
import type { ResourceClient } from '../../platform/resources/resource-client.ts';
import type { ConnectAnswer, ConnectHandler, ConnectRequest } from '../apiserver/held-kind-handler.ts';
import type { AgentDirectory } from './agent-directory.ts';
import { CallLimit } from './call-limit.ts';
import type { CheckpointAgents, CheckpointProgress } from './checkpoint-agents.ts';
import type { HeldCheckpoints } from './held-checkpoints.ts';

/** What requests for checkpoints and archives need. */
export interface ConnectCheckpointsOptions {
  readonly domain: string;
  /** The verbs in the name of the operator. */
  readonly client: ResourceClient;
  readonly directory: AgentDirectory;
  readonly agents: CheckpointAgents;
  readonly held: HeldCheckpoints;
}

const MOST_CHECKPOINTS = { all: 256, node: 64 } as const;
const MOST_ARCHIVES = { all: 128, node: 16 } as const;
const STREAM_TYPE = 'application/x-ndjson';
const ARCHIVE_TYPES = ['application/x-tar', 'application/octet-stream'] as const;

type Making = AsyncGenerator<CheckpointProgress, Checkpoint, void>;

/** Serves `pods/checkpoint`, which makes a checkpoint, and `checkpoints/archive`, which is one's archive. */
export function createConnectHandlers(options: ConnectCheckpointsOptions): ConnectHandler[] {
  const { domain } = options;
  const group = `node.${domain}`;
  const answerKind = { apiVersion: `${group}/v1`, kind: 'Checkpoint' };
  const checkpointCalls = new CallLimit(MOST_CHECKPOINTS);
  const archiveCalls = new CallLimit(MOST_ARCHIVES);
  return [
    {
      type: 'connect',
      target: { group, version: 'v1', resource: 'pods', subresource: 'checkpoint' },
      verb: 'create',
      answerKind,
      description: 'make a checkpoint of a container of the specified Pod',
      streamTypes: [STREAM_TYPE],
      parameters: [
        {
          name: 'container',
          in: 'query',
          type: 'string',
          description: "Name of the container; the pod's only one without it.",
        },
        {
          name: 'progress',
          in: 'query',
          type: 'boolean',
          description: 'Answers JSON lines that tell how far it is, and the Checkpoint at last.',
        },
        { name: 'timeoutSeconds', in: 'query', type: 'integer', description: 'How long it may take, in seconds.' },
      ],
      serve: (request) => makeCheckpoint(options, checkpointCalls, request),
    },
    {
      type: 'connect',
      target: { group, version: 'v1', resource: 'checkpoints', subresource: 'archive' },
      verb: 'get',
      answerKind,
      description: 'read the archive of the specified Checkpoint, a tar',
      streamTypes: ARCHIVE_TYPES,
      parameters: [],
      serve: (request) => sendArchive(options, archiveCalls, request),
    },
  ];
}

async function makeCheckpoint(
  { client, directory, agents }: ConnectCheckpointsOptions,
  calls: CallLimit,
  request: ConnectRequest,
): Promise<ConnectAnswer> {
  const { namespace, name, signal } = request;
  const wanted = readCheckpointOptions(request.query);
  if ('fault' in wanted) throw makeBadRequestError(wanted.fault);
  const { timeoutSeconds, progress } = wanted;
  const pod = await client.get({ resource: podResource, namespace, name });
  const plan = planPodCheckpoint(pod, wanted.container);
  if ('fault' in plan) throw makeBadRequestError(plan.fault);
  const { container, nodeName } = plan;
  await request.admit({ container, ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }) });
  const endpoint = await directory.find(nodeName);
  const end = calls.begin(nodeName, namespace);
  // A stream that nobody begins to read never ends by itself.
  signal.addEventListener('abort', end, { once: true });
  // The work is the node's, and bounded there; what is left here waits.
  request.releaseSeats();
  let isHandedOn = false;
  try {
    const making = agents.create(endpoint, { namespace, pod: name, container, timeoutSeconds }, signal);
    const first = await making.next();
    if (progress) {
      isHandedOn = true;
      const body = tellProgress(making, first, end);
      return { type: 'stream', code: 200, headers: { 'Content-Type': STREAM_TYPE }, body };
    }
    let result = first;
    while (result.done !== true) result = await making.next();
    return { type: 'object', code: 201, object: result.value as unknown as JsonObject };
  } finally {
    if (!isHandedOn) end();
  }
}

/** The lines of a stream. What fails once it has begun is told in its last line. */
async function* tellProgress(
  making: Making,
  first: IteratorResult<CheckpointProgress, Checkpoint>,
  end: () => void,
): AsyncGenerator<string, void, void> {
  try {
    let result = first;
    while (result.done !== true) {
      yield `${encodeJson(result.value)}\n`;
      result = await making.next();
    }
    yield `${encodeJson({ type: 'Done', checkpoint: result.value })}\n`;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    yield `${encodeJson({ type: 'Error', status: error.status })}\n`;
  } finally {
    end();
    // Who does not read on calls it off.
    await making.return(undefined as never).catch(() => undefined);
  }
}

/** One span of bytes; undefined: all. Other forms of the header are passed over, as HTTP has it. */
function readRange(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && /^bytes=(\d{1,16}-\d{0,16}|-\d{1,16})$/.test(header) ? header : undefined;
}

async function sendArchive(
  { held, agents, domain }: ConnectCheckpointsOptions,
  calls: CallLimit,
  request: ConnectRequest,
): Promise<ConnectAnswer> {
  const { signal, headers } = request;
  const { endpoint } = await held.locate(request, signal);
  const end = calls.begin(endpoint.nodeName, request.namespace);
  signal.addEventListener('abort', end, { once: true });
  request.releaseSeats();
  try {
    const range = headers['if-range'] === undefined ? readRange(headers['range']) : undefined;
    const archive = await agents.openArchive(endpoint, request, range, signal);
    if (archive === undefined) throw makeNotFoundError(`node.${domain}`, 'checkpoints', request.name);
    return { type: 'stream', code: archive.code, headers: archive.headers, body: endWith(archive.body, end) };
  } catch (error) {
    end();
    throw error;
  }
}

async function* endWith(body: AsyncIterable<Buffer>, end: () => void): AsyncGenerator<Buffer, void, void> {
  try {
    yield* body;
  } finally {
    end();
  }
}
