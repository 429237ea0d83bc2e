// oxlint-disable-next-line typescript/no-explicit-any -- an OpenAPI document, read as deep as needed
type Json = Record<string, any>;

const REF = /([^/]+)$/;
const SCALAR_ZEROS = new Set<unknown>(['', 0, false]);

/**
 * The parts of OpenAPI v3 definitions that server-side apply looks at, as StructuralSchema without descriptions, for the given
 * definitions and all that they refer to. A reference is `{ "$ref": name }`, with the list and zero semantics of its place beside it.
 */
export function excerptSchemas(definitions: Json, roots: Iterable<string>): Json {
  const excerpt: Json = {};
  const pending = [...roots];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (name in excerpt) continue;
    excerpt[name] = convert(definitions[name] as Json, name, pending);
  }
  return Object.fromEntries(Object.entries(excerpt).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function convert(schema: Json, name: string, pending: string[]): Json {
  if (name.endsWith('.Quantity')) return { type: 'string', format: 'quantity' };
  if (name.endsWith('.IntOrString')) return { type: 'any', format: 'int-or-string' };
  const reference = (schema.$ref ?? schema.allOf?.[0]?.$ref) as string | undefined;
  if (reference !== undefined) {
    const target = REF.exec(reference)![1]!;
    pending.push(target);
    return { $ref: target, ...convertNotes(schema) };
  }
  const converted: Json = { type: schema.type ?? 'any', ...convertNotes(schema) };
  if (schema.format && schema.type === 'string') converted.format = schema.format;
  if (schema.items) converted.items = convert(schema.items as Json, '', pending);
  if (schema.additionalProperties) converted.values = convert(schema.additionalProperties as Json, '', pending);
  if (schema.properties) {
    const required = new Set<string>((schema.required as string[] | undefined) ?? []);
    converted.properties = Object.fromEntries(
      Object.entries(schema.properties as Json).map(([key, property]) => [
        key,
        convertProperty(property as Json, required.has(key), pending),
      ]),
    );
  }
  return converted;
}

/** A required field, and a struct that is no pointer, are always written. */
function convertProperty(property: Json, isRequired: boolean, pending: string[]): Json {
  const converted = convert(property, '', pending);
  const isStruct = typeof property.default === 'object' && property.default !== null;
  if (isRequired || isStruct) converted.zero = 'fill';
  return converted;
}

function convertNotes(schema: Json): Json {
  const notes: Json = {};
  if (schema['x-kubernetes-list-type']) notes.listType = schema['x-kubernetes-list-type'];
  if (schema['x-kubernetes-list-map-keys']) notes.listMapKeys = schema['x-kubernetes-list-map-keys'];
  if (schema['x-kubernetes-map-type']) notes.mapType = schema['x-kubernetes-map-type'];
  if (schema['x-kubernetes-patch-strategy'])
    notes.patchStrategy = String(schema['x-kubernetes-patch-strategy']).split(',');
  if (schema['x-kubernetes-patch-merge-key']) notes.patchMergeKey = schema['x-kubernetes-patch-merge-key'];
  const isPlain = typeof schema.default !== 'object' && schema.default !== undefined;
  if (isPlain && !SCALAR_ZEROS.has(schema.default)) notes.default = schema.default;
  return notes;
}
