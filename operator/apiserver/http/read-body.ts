import {
  makeBadRequestError,
  makeTooLargeError,
  makeUnsupportedMediaTypeError,
} from '../../../core/errors/make-status-error.ts';
import type { PatchType } from '../../../platform/resources/resource-client.ts';
import { StatusError } from '../../../core/errors/status.ts';
import { parseYamlAside } from '../../../platform/decoding/parse-yaml-aside.ts';
import { jsonFormat, type BodyFormat } from '../pipeline/decode-body.ts';
import type { Exchange } from './exchange.ts';

/** Kubernetes' bound on the body of a write. */
export const MAX_BODY_BYTES = 3 * 1024 * 1024;
/** How much of a greater body is still read, so that its client comes to read the refusal. */
const MAX_DISCARDED_BYTES = 32 * 1024 * 1024;

const PATCH_TYPES: readonly PatchType[] = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];

// Two neighbouring parts of the pattern never match the same character: a long header must not make it search.
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const PARAMETER = `${TOKEN}\\s*=\\s*(?:${TOKEN}|"[^"]*")`;
const MEDIA_TYPE = new RegExp(`^(${TOKEN}(?:/${TOKEN})?)(?:\\s*;\\s*${PARAMETER})*\\s*;?$`);

/** The media type of a body in lower case; empty when there is none, `undefined` when the header is malformed. */
function readMediaType(exchange: Exchange): string | undefined {
  const header = exchange.request.headers['content-type'] ?? '';
  return header === '' ? '' : MEDIA_TYPE.exec(header.trim())?.[1]?.toLowerCase();
}

/** The tables of messages are large, and many an installation never meets a client that needs them. */
async function loadProtobufFormat(): Promise<BodyFormat> {
  const { parseProtobuf } = await import('../../../kinds/workloads/parse-protobuf.ts');
  return { name: 'protobuf', parse: parseProtobuf };
}

/** The format of a body that is YAML. It is parsed by then, without keeping others waiting. */
async function readYamlFormat(body: Buffer): Promise<BodyFormat> {
  const parsed = await parseYamlAside(body);
  return { name: 'yaml', parse: () => parsed };
}

/** What a body is written in; JSON when the client does not say. Throws 415. */
export async function readBodyFormat(exchange: Exchange, body: Buffer): Promise<BodyFormat> {
  switch (readMediaType(exchange)) {
    case '':
    case 'application/json':
      return jsonFormat;
    case 'application/yaml':
      return readYamlFormat(body);
    // Go clients of Kubernetes' own kinds write protobuf unless they are told otherwise.
    case 'application/vnd.kubernetes.protobuf':
      return loadProtobufFormat();
    default:
      throw makeUnsupportedMediaTypeError(
        'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
      );
  }
}

/** The types of patches of kinds that users defined: nothing tells how their lists would be merged. */
const DEFINED_PATCH_TYPES: readonly PatchType[] = PATCH_TYPES.filter(
  (type) => type !== 'application/strategic-merge-patch+json',
);

/** The type of a patch. Throws 415, in other words for a kind that users defined, as Kubernetes does. */
export function readPatchType(exchange: Exchange, isDefined = false): PatchType {
  const mediaType = exchange.request.headers['content-type']?.split(';', 1)[0];
  const type = PATCH_TYPES.find((known) => known === mediaType);
  if (isDefined && (type === undefined || !DEFINED_PATCH_TYPES.includes(type))) {
    throw makeUnsupportedMediaTypeError(
      `the body of the request was in an unknown format - accepted media types include: ${DEFINED_PATCH_TYPES.join(', ')}`,
    );
  }
  if (type !== undefined) return type;
  throw new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: '415: Unsupported Media Type',
    reason: 'UnsupportedMediaType',
    details: {},
    code: 415,
  });
}

/** Reads and forgets what is left of a body, up to {@link MAX_DISCARDED_BYTES}. */
async function discardBody(exchange: Exchange): Promise<void> {
  const { request } = exchange;
  let size = 0;
  await new Promise<void>((resolve) => {
    exchange.abandonBody = resolve;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_DISCARDED_BYTES) resolve();
    });
    for (const event of ['end', 'error', 'close']) request.on(event, () => resolve());
  });
}

function makeUnreadableError(): StatusError {
  return makeBadRequestError('the request body could not be read');
}

/** Reads the whole body. Throws 413 beyond the bound, 400 when the client breaks off or the time of the request is over. */
export async function readBody(exchange: Exchange): Promise<Buffer> {
  // Nothing tells the end of a request that is answered already.
  if (exchange.response.headersSent || exchange.response.destroyed) throw makeUnreadableError();
  try {
    return await readWhole(exchange);
  } finally {
    exchange.abandonBody = undefined;
  }
}

async function readWhole(exchange: Exchange): Promise<Buffer> {
  const { request, response } = exchange;
  const chunks: Buffer[] = [];
  let size = 0;
  const isComplete =
    Number(request.headers['content-length'] ?? 0) <= MAX_BODY_BYTES &&
    (await new Promise<boolean>((resolve, reject) => {
      const fail = (): void => reject(makeUnreadableError());
      exchange.abandonBody = fail;
      request.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_BODY_BYTES) {
          request.removeAllListeners('data');
          resolve(false);
        } else {
          chunks.push(chunk);
        }
      });
      request.on('end', () => resolve(true));
      request.on('error', fail);
      request.on('close', () => {
        if (!request.complete) fail();
      });
    }));
  if (!isComplete) {
    // What is left of the body would be read as the next request; and a client that is still sending would miss the answer.
    response.setHeader('Connection', 'close');
    await discardBody(exchange);
    throw makeTooLargeError(`limit is ${MAX_BODY_BYTES}`);
  }
  if (chunks.length === 1 && chunks[0] !== undefined) return chunks[0];
  const body = Buffer.concat(chunks);
  for (const chunk of chunks) releaseBody(chunk);
  return body;
}

/**
 * Gives the memory of a body back at once, after which its bytes are gone. Bodies that wait for the garbage collector are what the service
 * grows by under load.
 */
export function releaseBody(body: Buffer): void {
  const { buffer } = body;
  // A part of a block that others have their bytes in is left alone.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === body.byteLength) buffer.transfer(0);
}
