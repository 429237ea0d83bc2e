/** Media type of OpenAPI v2 in protobuf, which Go clients ask for and nothing else. */
export const openApiProtobufType = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
// The older name, which clients still send, is no well-formed media type, so that no answer may have it.
const askedTypes: ReadonlySet<string | undefined> = new Set([
  openApiProtobufType,
  'application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
]);

/** Whether an Accept header takes OpenAPI v2 in protobuf only. */
export function wantsOpenApiProtobuf(accept: string | undefined): boolean {
  return askedTypes.has(accept);
}
