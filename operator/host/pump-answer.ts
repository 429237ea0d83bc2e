import { Transform, type TransformCallback } from 'node:stream';
import type { HostAnswer } from '../../platform/kube/host-connection.ts';
import type { Exchange } from '../apiserver/http/exchange.ts';
import { listAnswerHeaders } from './forward-headers.ts';
import { LineStream } from './line-stream.ts';

/** Changes bytes as they pass by. */
export interface Rewriter {
  push(chunk: Buffer): Buffer[];
}

class RewriteStream extends Transform {
  readonly #rewriters: readonly Rewriter[];

  constructor(rewriters: readonly Rewriter[]) {
    super();
    this.#rewriters = rewriters;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    try {
      let pieces = [chunk];
      for (const rewriter of this.#rewriters) pieces = pieces.flatMap((piece) => rewriter.push(piece));
      for (const piece of pieces) this.push(piece);
      callback();
    } catch (error) {
      callback(error as Error);
    }
  }
}

/** Sets code and headers of an answer of the host; `isRewritten`: its body will be another. */
export function startAnswer(exchange: Exchange, answer: HostAnswer, isRewritten: boolean): void {
  const { response } = exchange;
  response.statusCode = answer.status;
  for (const [name, values] of listAnswerHeaders(answer.body.headersDistinct, isRewritten)) {
    // The flow that it had here, where it had one.
    if (exchange.flow !== undefined && name.startsWith('x-kubernetes-pf-')) continue;
    response.setHeader(name, values.length === 1 ? (values[0] ?? '') : values);
  }
}

/**
 * Hands an answer of the host on as it comes in, changed by the rewriters in turn. When either side breaks off the other does, which is
 * no error. `closing` ends an answer that would never end by itself, as a watch does: after a whole line where it has lines.
 */
export async function pumpAnswer(
  exchange: Exchange,
  answer: HostAnswer,
  rewriters: readonly Rewriter[],
  closing?: AbortSignal,
): Promise<void> {
  const { response } = exchange;
  const source = answer.body;
  const hasLines = closing !== undefined && /json|text/.test(answer.headers['content-type'] ?? '');
  const lines = hasLines ? new LineStream() : undefined;
  const rewrite = rewriters.length === 0 ? undefined : new RewriteStream(rewriters);
  startAnswer(exchange, answer, rewrite !== undefined);
  response.flushHeaders();
  if (exchange.info.verb === 'watch') exchange.flow?.release();
  let isEnding = false;
  const breakOff = (): void => {
    source.destroy();
    if (!isEnding) response.destroy();
  };
  const end = (): void => {
    isEnding = true;
    source.unpipe();
    (lines ?? rewrite ?? response).end();
    source.destroy();
  };
  const finish = (): void => (lines === undefined ? end() : lines.finishLine(end));
  await new Promise<void>((resolve) => {
    response.once('close', () => {
      source.destroy();
      resolve();
    });
    source.once('error', breakOff);
    rewrite?.once('error', breakOff);
    closing?.addEventListener('abort', finish, { once: true });
    const rewritten = rewrite === undefined ? source : source.pipe(rewrite);
    (lines === undefined ? rewritten : rewritten.pipe(lines)).pipe(response);
    // It may have broken off before anybody listened.
    if (source.destroyed && !source.readableEnded) breakOff();
    if (closing?.aborted === true) finish();
  });
  closing?.removeEventListener('abort', finish);
}
