import { encodeJson } from '../../../core/decode/encode-json.ts';
import { formatHttpDate } from '../../../core/time/format-date.ts';
import type { OpenApiDocuments } from '../discovery/openapi-documents.ts';
import { openApiProtobufType, wantsOpenApiProtobuf } from '../discovery/openapi-protobuf-type.ts';
import { parseAccept } from './accept-header.ts';
import type { Exchange } from './exchange.ts';
import { sendBytes, sendEmpty, TEXT_TYPE } from './send-answer.ts';

const YEAR_SECONDS = 31_536_000;

/** Answers a document under its hash: unchanged ones cost the client nothing. */
async function sendHashed(exchange: Exchange, type: string, content: string | Buffer, hash: string): Promise<void> {
  const { request, response } = exchange;
  response.setHeader('Etag', `"${hash}"`);
  response.setHeader('Vary', 'Accept');
  const wanted = request.headers['if-none-match'];
  if (wanted?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === `"${hash}"`) === true) {
    response.statusCode = 304;
    response.end();
    return;
  }
  await sendBytes(exchange, 200, type, content);
}

function takesJson({ request }: Exchange): boolean {
  const { accept = '' } = request.headers;
  if (accept === '') return true;
  return parseAccept(accept).some(
    ({ type, subtype }) =>
      (type === '*' && subtype === '*') || (type === 'application' && (subtype === 'json' || subtype === '*')),
  );
}

/** Serves `/openapi/v2` and `/openapi/v3`; resolves to false for a path that is none of these. */
export async function serveOpenApi(exchange: Exchange, documents: OpenApiDocuments): Promise<boolean> {
  const { path } = exchange.info;
  if (path === '/openapi/v2') {
    if (wantsOpenApiProtobuf(exchange.request.headers.accept)) {
      const { bytes, hash } = await documents.getV2Protobuf();
      await sendHashed(exchange, openApiProtobufType, bytes, hash);
    } else if (takesJson(exchange)) {
      const { text, hash } = await documents.getV2();
      await sendHashed(exchange, 'application/json', text, hash);
    } else sendEmpty(exchange, 406);
    return true;
  }
  if (path === '/openapi/v3') {
    // Kubernetes looks at no header here, and leaves the type to be guessed.
    await sendBytes(exchange, 200, TEXT_TYPE, encodeJson(await documents.getV3Index()));
    return true;
  }
  if (!path.startsWith('/openapi/v3/')) return false;
  const document = await documents.getV3(path.slice('/openapi/v3/'.length));
  if (document === undefined) {
    sendEmpty(exchange, 404);
    return true;
  }
  if (!takesJson(exchange)) {
    sendEmpty(exchange, 406);
    return true;
  }
  const hash = exchange.query.get('hash');
  if (hash !== null && hash !== document.hash) {
    const location = `${path}?hash=${document.hash}`;
    exchange.response.setHeader('Location', location);
    sendEmpty(exchange, 301);
    return true;
  }
  if (hash !== null) exchange.response.setHeader('Expires', formatHttpDate(Date.now() + YEAR_SECONDS * 1000));
  await sendHashed(exchange, 'application/json', document.text, document.hash);
  return true;
}
