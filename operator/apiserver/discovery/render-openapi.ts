import { describeCode, type Operation } from './openapi-operations.ts';
import type { OperationParameter } from './operation-parameter.ts';

/** Paths of an OpenAPI document: path, then method, then operation. */
export type OpenApiPaths = Record<string, Record<string, object>>;

const ANSWER_MEDIA_TYPES = ['application/json', 'application/yaml'];
const LIST_MEDIA_TYPES = ['application/json', 'application/json;stream=watch', 'application/yaml'];

function makeCommon(operation: Operation): object {
  return {
    tags: [operation.tag],
    description: operation.description,
    operationId: operation.operationId,
  };
}

function makeExtensions(operation: Operation): object {
  return {
    'x-kubernetes-action': operation.action,
    'x-kubernetes-group-version-kind': operation.kind,
  };
}

function renderParameterV3(parameter: OperationParameter): object {
  return {
    name: parameter.name,
    in: parameter.in,
    description: parameter.description,
    ...(parameter.in === 'path' ? { required: true } : {}),
    schema: { type: parameter.type, uniqueItems: true },
  };
}

function renderParameterV2(parameter: OperationParameter): object {
  return {
    uniqueItems: true,
    type: parameter.type,
    description: parameter.description,
    name: parameter.name,
    in: parameter.in,
    ...(parameter.in === 'path' ? { required: true } : {}),
  };
}

function renderV3(operation: Operation): object {
  const { body, answers } = operation;
  const refer = (name: string): object => ({ schema: { $ref: `#/components/schemas/${name}` } });
  const mediaTypes = operation.action === 'list' ? LIST_MEDIA_TYPES : ANSWER_MEDIA_TYPES;
  const content = (name: string, types: readonly string[]): object =>
    Object.fromEntries(types.map((type) => [type, refer(name)]));
  return {
    ...makeCommon(operation),
    parameters: operation.parameters.map(renderParameterV3),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            content: content(body.schema, body.mediaTypes),
            ...(body.required ? { required: true } : {}),
          },
        }),
    responses: {
      ...Object.fromEntries(
        answers.map(({ code, schema }) => [
          String(code),
          { description: describeCode(code), content: content(schema, mediaTypes) },
        ]),
      ),
      '401': { description: describeCode(401) },
    },
    ...makeExtensions(operation),
  };
}

function renderV2(operation: Operation): object {
  const { body, answers } = operation;
  const refer = (name: string): object => ({ $ref: `#/definitions/${name}` });
  const mediaTypes = operation.action === 'list' ? LIST_MEDIA_TYPES : ANSWER_MEDIA_TYPES;
  return {
    ...makeCommon(operation),
    consumes: body?.mediaTypes ?? ['*/*'],
    produces: mediaTypes,
    schemes: ['https'],
    parameters: [
      ...(body === undefined
        ? []
        : [{ name: 'body', in: 'body', ...(body.required ? { required: true } : {}), schema: refer(body.schema) }]),
      ...operation.parameters.map(renderParameterV2),
    ],
    responses: {
      ...Object.fromEntries(
        answers.map(({ code, schema }) => [String(code), { description: describeCode(code), schema: refer(schema) }]),
      ),
      '401': { description: describeCode(401) },
    },
    ...makeExtensions(operation),
  };
}

/** Renders operations in a version of OpenAPI. */
export function renderPaths(operations: readonly Operation[], dialect: 'v2' | 'v3'): OpenApiPaths {
  const paths: OpenApiPaths = {};
  for (const operation of operations) {
    const methods = (paths[operation.path] ??= {});
    methods[operation.method] = dialect === 'v3' ? renderV3(operation) : renderV2(operation);
  }
  return paths;
}
