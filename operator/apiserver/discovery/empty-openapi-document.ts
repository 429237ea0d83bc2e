/** Media type of OpenAPI v2 in protobuf; kubectl asks for it where v3 does not tell it enough, as for kinds that are only created. */
export const openApiProtobufType = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
// The older name, which clients still send, is no well-formed media type, so that no answer may have it.
const askedTypes: ReadonlySet<string | undefined> = new Set([
  openApiProtobufType,
  'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
]);

const SWAGGER = 1;
const INFO = 2;
const PATHS = 8;
const INFO_TITLE = 1;
const INFO_VERSION = 2;
const LENGTH_DELIMITED = 2;

/** One field with a length below 128. */
function encodeField(number: number, value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([(number << 3) | LENGTH_DELIMITED, bytes.length]), bytes]);
}

/**
 * An OpenAPI v2 document in protobuf that describes nothing. A client that takes no JSON learns from it that nothing can be checked
 * ahead, and leaves the checking to the service; without an answer that it can read it would give up.
 */
export function encodeEmptyOpenApi(): Buffer {
  const info = Buffer.concat([encodeField(INFO_TITLE, 'Bailiwick'), encodeField(INFO_VERSION, 'v1.34.4')]);
  return Buffer.concat([encodeField(SWAGGER, '2.0'), encodeField(INFO, info), encodeField(PATHS, '')]);
}

/** Whether an Accept header takes OpenAPI v2 in protobuf only. */
export function wantsOpenApiProtobuf(accept: string | undefined): boolean {
  return askedTypes.has(accept);
}
