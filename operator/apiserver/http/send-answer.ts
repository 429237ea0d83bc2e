import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import { encodeJson } from '../../../core/decode/encode-json.ts';
import { parseJson } from '../../../core/decode/parse-json.ts';
import type { Status } from '../../../core/errors/status.ts';
import { isJsonObject, type JsonValue } from '../../../core/meta/json.ts';
import { formatYamlAside } from '../../../platform/decoding/format-yaml-aside.ts';
import { negotiateErrorFormat, type NegotiatedFormat } from './accept-header.ts';
import { encodeList, type ListAnswer } from './encode-list.ts';
import { readUserAgent, type Exchange } from './exchange.ts';
import { formatWarnings } from './format-warnings.ts';

/** As Kubernetes: smaller answers are not worth the work. */
const GZIP_THRESHOLD_BYTES = 128 * 1024;
const JOINED_BYTES = 16 * 1024;
const ONE_WRITE_BYTES = 512 * 1024;
/** Media type of plain text. */
export const TEXT_TYPE = 'text/plain; charset=utf-8';
const NEWLINE = Buffer.from('\n');

/** Sets the headers that every answer carries, warnings among them. */
export function setCommonHeaders({ response, auditId, warnings }: Exchange): void {
  response.setHeader('Audit-Id', auditId);
  response.setHeader('Cache-Control', 'no-cache, private');
  if (warnings.size > 0) response.setHeader('Warning', formatWarnings(warnings));
}

function acceptsGzip(exchange: Exchange): boolean {
  const encoding = exchange.request.headers['accept-encoding'];
  if (typeof encoding !== 'string') return false;
  return encoding.split(',').some((token) => token.trim() === 'gzip');
}

/** Whether the client wants JSON to be read by people: it says so, or it is a browser or a command-line tool. */
export function wantsPretty(exchange: Exchange, negotiated: NegotiatedFormat): boolean {
  if (negotiated.pretty) return true;
  const parameter = exchange.query.get('pretty');
  if (parameter !== null && parameter !== '') return ['1', 't', 'T', 'true', 'TRUE', 'True'].includes(parameter);
  return /^(curl|Wget|Mozilla\/5\.0)/.test(readUserAgent(exchange));
}

/** Compresses beside the event loop, block by block. */
async function compressBlocks(blocks: readonly Buffer[]): Promise<Buffer[]> {
  const compressed: Buffer[] = [];
  const gzip = Readable.from(blocks).pipe(createGzip({ level: constants.Z_BEST_SPEED }));
  for await (const chunk of gzip) compressed.push(chunk as Buffer);
  return compressed;
}

function countBytes(blocks: readonly Buffer[]): number {
  return blocks.reduce((sum, block) => sum + block.length, 0);
}

/** Writes one part of a large answer; resolves when the client is ready for the next, or gone. */
async function writePart(response: ServerResponse, part: Buffer): Promise<void> {
  if (response.write(part) || response.destroyed) return;
  await new Promise<void>((resolve) => {
    const finish = (): void => {
      response.off('drain', finish);
      response.off('close', finish);
      resolve();
    };
    response.on('drain', finish);
    response.on('close', finish);
  });
}

/** Ends the answer with these bytes, one block after the other. Nothing happens when an answer is under way already, after a timeout. */
export async function sendBytes(
  exchange: Exchange,
  code: number,
  contentType: string,
  body: Buffer | string | readonly Buffer[],
): Promise<void> {
  const { response } = exchange;
  if (response.headersSent || response.destroyed) return;
  setCommonHeaders(exchange);
  response.statusCode = code;
  response.setHeader('Content-Type', contentType);
  let blocks = typeof body === 'string' ? [Buffer.from(body)] : Buffer.isBuffer(body) ? [body] : body;
  let size = countBytes(blocks);
  if (size > GZIP_THRESHOLD_BYTES && acceptsGzip(exchange)) {
    blocks = await compressBlocks(blocks);
    if (response.headersSent) return;
    size = countBytes(blocks);
    response.setHeader('Content-Encoding', 'gzip');
    response.appendHeader('Vary', 'Accept-Encoding');
  }
  response.setHeader('Content-Length', size);
  if (exchange.request.method === 'HEAD') {
    response.end();
    return;
  }
  if (size <= JOINED_BYTES) {
    // To copy a little is cheaper than to hand over several pieces.
    response.end(blocks.length === 1 ? blocks[0] : Buffer.concat(blocks, size));
    return;
  }
  if (size <= ONE_WRITE_BYTES) {
    response.cork();
    for (const block of blocks) response.write(block);
  } else {
    // Encryption happens at once for all that is written: a list of many megabytes would hold up everybody.
    for (const block of blocks) {
      await writePart(response, block);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  response.end();
}

function parseEncoded(bytes: Buffer): JsonValue {
  const parsed = parseJson(bytes);
  if ('fault' in parsed) throw new Error(`an answer cannot be read: ${parsed.fault}`);
  return parsed.value;
}

/** Answers an object that is encoded already, in the negotiated format. */
export async function sendEncoded(
  exchange: Exchange,
  code: number,
  negotiated: NegotiatedFormat,
  bytes: Buffer,
): Promise<void> {
  exchange.audit?.recordResponse({ json: { bytes: bytes.length, print: () => bytes.toString() } });
  await writeEncoded(exchange, code, negotiated, bytes);
}

async function writeEncoded(
  exchange: Exchange,
  code: number,
  negotiated: NegotiatedFormat,
  bytes: Buffer,
): Promise<void> {
  if (negotiated.format === 'yaml') {
    await sendBytes(exchange, code, 'application/yaml', await formatYamlAside(bytes));
  } else if (wantsPretty(exchange, negotiated)) {
    await sendBytes(exchange, code, 'application/json', JSON.stringify(parseEncoded(bytes), undefined, 2));
  } else {
    await sendBytes(exchange, code, 'application/json', [bytes, NEWLINE]);
  }
}

/** Answers an object, in the negotiated format. */
export async function sendObject(
  exchange: Exchange,
  code: number,
  negotiated: NegotiatedFormat,
  object: unknown,
): Promise<void> {
  const text = encodeJson(object);
  if (exchange.audit !== undefined) {
    const status = isStatus(object) ? { status: object } : {};
    exchange.audit.recordResponse({ ...status, json: { bytes: text.length, print: () => text } });
  }
  await writeEncoded(exchange, code, negotiated, Buffer.from(text));
}

function isStatus(object: unknown): object is Status {
  return isJsonObject(object) && object['kind'] === 'Status' && object['apiVersion'] === 'v1';
}

/** Answers a list, in the negotiated format. */
export async function sendList(exchange: Exchange, negotiated: NegotiatedFormat, list: ListAnswer): Promise<void> {
  const isYaml = negotiated.format === 'yaml';
  const format = isYaml ? 'yaml' : wantsPretty(exchange, negotiated) ? 'pretty' : 'json';
  const body = await encodeList(list, format);
  if (exchange.audit?.wantsResponse === true) {
    const recorded = format === 'json' ? body : await encodeList(list, 'json');
    const print = (): string => Buffer.concat(recorded).toString();
    exchange.audit.recordResponse({ json: { bytes: countBytes(recorded), print } });
  }
  await sendBytes(exchange, 200, isYaml ? 'application/yaml' : 'application/json', body);
}

/** Answers an error as a Status. */
export async function sendStatus(exchange: Exchange, status: Status): Promise<void> {
  const seconds = status.details?.retryAfterSeconds;
  if (seconds !== undefined && !exchange.response.headersSent) {
    exchange.response.setHeader('Retry-After', String(seconds));
  }
  await sendObject(exchange, status.code, negotiateErrorFormat(exchange.request.headers.accept), status);
}

/** Answers a plain text, such as that of a path that nobody serves. */
export async function sendText(exchange: Exchange, code: number, text: string): Promise<void> {
  if (!exchange.response.headersSent) exchange.response.setHeader('X-Content-Type-Options', 'nosniff');
  await sendBytes(exchange, code, TEXT_TYPE, text);
}

/** Answers without a body. */
export function sendEmpty(exchange: Exchange, code: number): void {
  const { response } = exchange;
  if (response.headersSent || response.destroyed) return;
  setCommonHeaders(exchange);
  response.statusCode = code;
  response.setHeader('Content-Length', 0);
  response.end();
}
