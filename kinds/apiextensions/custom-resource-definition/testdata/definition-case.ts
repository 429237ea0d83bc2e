import type { JsonObject, JsonValue } from '../../../../core/meta/json.ts';

/** A definition that somebody creates, and then perhaps changes; `{name}` and `{Name}` in texts become a name of the case's own. */
export interface DefinitionCase {
  readonly name: string;
  readonly definition: JsonObject;
  /** Makes of the stored definition what is put in its place; the name is filled in as in `definition`. */
  readonly change?: (spec: JsonObject, definition: JsonObject) => void;
}

/** A definition with these parts of a spec in place of the usual ones; `undefined` takes a part away. */
export function define(spec: Record<string, unknown> = {}, metadata: JsonObject = {}): JsonObject {
  const whole: Record<string, unknown> = {
    group: 'example.com',
    names: { plural: '{name}s', kind: '{Name}' },
    scope: 'Namespaced',
    versions: [version()],
    ...spec,
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: '{name}s.example.com', ...metadata },
    spec: whole as JsonObject,
  };
}

/** A version with these parts in place of the usual ones. */
export function version(parts: Record<string, unknown> = {}): JsonObject {
  const schema = { openAPIV3Schema: { type: 'object' } };
  return { name: 'v1', served: true, storage: true, schema, ...parts };
}

/** A definition with one version of this schema. */
export function defineSchema(schema: JsonObject, parts: Record<string, unknown> = {}): JsonObject {
  return define({ versions: [version({ schema: { openAPIV3Schema: schema }, ...parts })] });
}

/** A definition whose one field `spec` has this schema. */
export function defineField(schema: JsonObject): JsonObject {
  return defineSchema({ type: 'object', properties: { spec: schema } });
}

/** The case's own name in place of the placeholder. */
export function nameCase<T extends JsonValue>(value: T, index: number): T {
  const text = JSON.stringify(value).replaceAll('{name}', `case${index}x`).replaceAll('{Name}', `Case${index}x`);
  return JSON.parse(text) as T;
}
