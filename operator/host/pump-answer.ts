import { Transform, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { HostAnswer } from '../../platform/kube/host-connection.ts';
import type { Exchange } from '../apiserver/http/exchange.ts';
import { listAnswerHeaders } from './forward-headers.ts';
import { JsonRewriter, type RewriteRules } from './json-rewriter.ts';

class RewriteStream extends Transform {
  readonly #rewriter: JsonRewriter;

  constructor(rules: RewriteRules) {
    super();
    this.#rewriter = new JsonRewriter(rules);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    for (const piece of this.#rewriter.push(chunk)) this.push(piece);
    callback();
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
 * Hands an answer of the host on as it comes in, changed by `rules` if there are any. When either side breaks off the other does.
 * Never throws for that; `closing` ends an answer that would never end by itself, as a watch does.
 */
export async function pumpAnswer(
  exchange: Exchange,
  answer: HostAnswer,
  rules: RewriteRules | undefined,
  closing?: AbortSignal,
): Promise<void> {
  const { response } = exchange;
  startAnswer(exchange, answer, rules !== undefined);
  response.flushHeaders();
  const end = (): void => {
    answer.body.unpipe();
    response.end();
    answer.body.destroy();
  };
  closing?.addEventListener('abort', end, { once: true });
  try {
    if (rules === undefined) await pipeline(answer.body, response);
    else await pipeline(answer.body, new RewriteStream(rules), response);
  } catch {
    // One side is gone; the pipeline has ended the other.
  } finally {
    closing?.removeEventListener('abort', end);
  }
}
