import type { UnreadableRequestError } from '../unreadable-request-error.ts';
import type { Exchange } from './exchange.ts';
import { sendText } from './send-answer.ts';

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Answers a request that means nothing, in a text that is safe in browsers. */
export async function sendUnreadable(exchange: Exchange, { message }: UnreadableRequestError): Promise<void> {
  const text = `Internal Server Error: ${JSON.stringify(exchange.request.url)}: ${message}`;
  await sendText(exchange, 500, `${text.replaceAll(/[&<>]/g, (character) => ESCAPES[character] ?? '')}\n`);
}
