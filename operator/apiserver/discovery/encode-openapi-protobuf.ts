import type { EventLoopYield } from '../../../platform/process/event-loop-yield.ts';

const VARINT = 0;
const FIXED_64 = 1;
const LENGTH_DELIMITED = 2;

type Json = Readonly<Record<string, unknown>>;
/** Encodes a message without its tag. */
type MessageEncoder = (value: Json) => Buffer;
/** Encodes what a member holds, with the tags of its field; nothing for a zero value. */
type FieldEncoder = (number: number, value: unknown) => Buffer;

function encodeVarint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}

function encodeTag(number: number, wireType: number): Buffer {
  return encodeVarint(number * 8 + wireType);
}

function encodeBytes(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([encodeTag(number, LENGTH_DELIMITED), encodeVarint(bytes.length), bytes]);
}

const nothing = Buffer.alloc(0);
const item: FieldEncoder = (number, value) => encodeBytes(number, Buffer.from(String(value)));
const text: FieldEncoder = (number, value) => (value === '' ? nothing : item(number, value));
const one: FieldEncoder = (number) => Buffer.concat([encodeTag(number, VARINT), encodeVarint(1)]);
const flag: FieldEncoder = (number, value) => (value === true ? one(number, value) : nothing);
const count: FieldEncoder = (number, value) =>
  value === 0 ? nothing : Buffer.concat([encodeTag(number, VARINT), encodeVarint(Number(value))]);
const double: FieldEncoder = (number, value) => {
  if (value === 0) return nothing;
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(Number(value));
  return Buffer.concat([encodeTag(number, FIXED_64), bytes]);
};

/** A value of any kind travels as YAML, which JSON is. */
const any: FieldEncoder = (number, value) => encodeBytes(number, text(2, JSON.stringify(value)));

function each(encode: FieldEncoder): FieldEncoder {
  return (number, value) => Buffer.concat((value as readonly unknown[]).map((item) => encode(number, item)));
}

function inside(encode: MessageEncoder): FieldEncoder {
  return (number, value) => encodeBytes(number, encode(value as Json));
}

/** A name and a value, as one of the entries of what is an object in JSON. */
function encodeNamed(number: number, name: string, value: unknown, encode: FieldEncoder): Buffer {
  return encodeBytes(number, Buffer.concat([text(1, name), encode(2, value)]));
}

function entries(encode: FieldEncoder): MessageEncoder {
  return (object) => Buffer.concat(Object.entries(object).map(([name, value]) => encodeNamed(1, name, value, encode)));
}

type Fields = Readonly<Record<string, readonly [number: number, encode: FieldEncoder]>>;

/**
 * Members become fields, in the order of their numbers, and those of vendors entries of the field `extension`; what the message has no
 * field for is left out.
 */
function message(fields: Fields, extension: number): MessageEncoder {
  return (value) => {
    const encoded: [number: number, bytes: Buffer][] = [];
    for (const [name, member] of Object.entries(value)) {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (field !== undefined) encoded.push([field[0], field[1](field[0], member)]);
      else if (name.startsWith('x-')) encoded.push([extension, encodeNamed(extension, name, member, any)]);
    }
    return Buffer.concat(encoded.sort(([a], [b]) => a - b).map(([, bytes]) => bytes));
  };
}

const encodeSchema: MessageEncoder = (value) => schemaMessage(value);
const schema = inside(encodeSchema);
/** What other members must be like; `false` is the zero value of a choice that is made. */
const restriction = (value: unknown): Buffer =>
  value === false ? Buffer.concat([encodeTag(2, VARINT), encodeVarint(0)]) : schema(1, value);
const schemaMessage = message(
  {
    $ref: [1, text],
    format: [2, text],
    title: [3, text],
    description: [4, text],
    default: [5, any],
    multipleOf: [6, double],
    maximum: [7, double],
    exclusiveMaximum: [8, flag],
    minimum: [9, double],
    exclusiveMinimum: [10, flag],
    maxLength: [11, count],
    minLength: [12, count],
    pattern: [13, text],
    maxItems: [14, count],
    minItems: [15, count],
    uniqueItems: [16, flag],
    maxProperties: [17, count],
    minProperties: [18, count],
    required: [19, each(item)],
    enum: [20, each(any)],
    additionalProperties: [
      21,
      (number, value) => encodeBytes(number, value === true ? one(2, value) : restriction(value)),
    ],
    type: [22, (number, value) => encodeBytes(number, each(item)(1, [value].flat()))],
    items: [23, (number, value) => encodeBytes(number, schema(1, value))],
    allOf: [24, each(schema)],
    properties: [25, inside(entries(schema))],
    example: [30, any],
  },
  31,
);

const bodyParameter = message(
  { description: [1, text], name: [2, text], in: [3, text], required: [4, flag], schema: [5, schema] },
  6,
);
const plainFields: Fields = { required: [1, flag], in: [2, text], description: [3, text], name: [4, text] };
const pathParameter = message({ ...plainFields, type: [5, text], format: [6, text], uniqueItems: [19, flag] }, 22);
const queryParameter = message({ ...plainFields, type: [6, text], format: [7, text], uniqueItems: [20, flag] }, 23);

/** A parameter below the choices that it is wrapped in: parameter or reference, body or not, and where else it is. */
const parameter: FieldEncoder = (number, value) => {
  const given = value as Json;
  const chosen =
    given['in'] === 'body'
      ? encodeBytes(1, bodyParameter(given))
      : encodeBytes(
          2,
          given['in'] === 'path' ? encodeBytes(4, pathParameter(given)) : encodeBytes(3, queryParameter(given)),
        );
  return encodeBytes(number, encodeBytes(1, chosen));
};

const answer = message(
  { description: [1, text], schema: [2, (number, value) => encodeBytes(number, schema(1, value))] },
  5,
);
const answerOrReference: FieldEncoder = (number, value) => encodeBytes(number, encodeBytes(1, answer(value as Json)));
const operation = inside(
  message(
    {
      tags: [1, each(item)],
      summary: [2, text],
      description: [3, text],
      operationId: [5, text],
      produces: [6, each(item)],
      consumes: [7, each(item)],
      parameters: [8, each(parameter)],
      responses: [9, inside(entries(answerOrReference))],
      schemes: [10, each(item)],
      deprecated: [11, flag],
    },
    13,
  ),
);
const pathItem = inside(
  message(
    {
      get: [2, operation],
      put: [3, operation],
      post: [4, operation],
      delete: [5, operation],
      options: [6, operation],
      head: [7, operation],
      patch: [8, operation],
      parameters: [9, each(parameter)],
    },
    10,
  ),
);
const info = inside(message({ title: [1, text], version: [2, text], description: [3, text] }, 7));
const securityDefinition: FieldEncoder = (number, value) => {
  const fields: Fields = { type: [1, text], name: [2, text], in: [3, text], description: [4, text] };
  return encodeBytes(number, encodeBytes(2, message(fields, 5)(value as Json)));
};
const securityRequirement = inside(entries((number, value) => encodeBytes(number, each(item)(1, value))));

/** What an OpenAPI v2 document has, with the entries of what is large. */
export interface OpenApiParts {
  readonly info: object;
  readonly paths: Iterable<readonly [string, unknown]>;
  readonly definitions: Iterable<readonly [string, unknown]>;
  readonly securityDefinitions: object;
  readonly security: readonly object[];
}

/** Encodes an OpenAPI v2 document as `openapi.v2.Document` in protobuf, entry by entry, letting others have their turn. */
export async function encodeOpenApiProtobuf(parts: OpenApiParts, slices: EventLoopYield): Promise<Buffer> {
  const encodeEntries = async (
    members: OpenApiParts['paths'],
    number: number,
    encode: FieldEncoder,
  ): Promise<Buffer> => {
    const encoded: Buffer[] = [];
    for (const [name, value] of members) {
      await slices.pause();
      encoded.push(encodeNamed(number, name, value, encode));
    }
    return Buffer.concat(encoded);
  };
  return Buffer.concat([
    text(1, '2.0'),
    info(2, parts.info),
    encodeBytes(8, await encodeEntries(parts.paths, 2, pathItem)),
    encodeBytes(9, await encodeEntries(parts.definitions, 1, schema)),
    each(securityRequirement)(12, parts.security),
    inside(entries(securityDefinition))(13, parts.securityDefinitions),
  ]);
}
