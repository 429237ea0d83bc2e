import { Transform, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { HostAnswer } from '../../platform/kube/host-connection.ts';
import type { Exchange } from '../apiserver/http/exchange.ts';
import { listAnswerHeaders } from './forward-headers.ts';

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
    response.setHeader(name, values.length === 1 ? (values[0] ?? '') : values);
  }
}

/**
 * Hands an answer of the host on as it comes in, changed by the rewriters in turn. When either side breaks off the other does, which is
 * no error. `closing` ends an answer that would never end by itself, as a watch does.
 */
export async function pumpAnswer(
  exchange: Exchange,
  answer: HostAnswer,
  rewriters: readonly Rewriter[],
  closing?: AbortSignal,
): Promise<void> {
  const { response } = exchange;
  startAnswer(exchange, answer, rewriters.length > 0);
  response.flushHeaders();
  const end = (): void => {
    answer.body.unpipe();
    response.end();
    answer.body.destroy();
  };
  closing?.addEventListener('abort', end, { once: true });
  try {
    if (rewriters.length === 0) await pipeline(answer.body, response);
    else await pipeline(answer.body, new RewriteStream(rewriters), response);
  } catch {
    // One side is gone; the pipeline has ended the other.
  } finally {
    closing?.removeEventListener('abort', end);
  }
}
