import { z } from 'zod';
import type { StructuralSchema } from '../core/schema/structural-schema.ts';

/** What a zod schema does not say of itself: the parts of a StructuralSchema beside its type. */
export interface SchemaNotes extends Partial<
  Omit<StructuralSchema, 'type' | 'properties' | 'required' | 'values' | 'items'>
> {
  /** Whether OpenAPI lists the field as required. */
  readonly requiredField?: boolean;
}

/** Notes of every schema that the vocabulary made; notes of a wrapper win over those of what it wraps. */
export const schemaNotes = z.registry<SchemaNotes>();

/** Name, Go name and meaning of a named type. */
interface TypeNotes {
  /** Name in OpenAPI, such as `io.k8s.api.core.v1.ResourceQuotaSpec`. */
  readonly definition: string;
  readonly description: string;
  /** `atomic` for types that server-side apply replaces whole. */
  readonly mapType?: 'atomic';
}

/** A copy of `schema` that carries `notes` beside those it has. */
export function note<T extends z.ZodType>(schema: T, notes: SchemaNotes): T {
  const copy = schema.clone();
  schemaNotes.add(copy, { ...schemaNotes.get(schema), ...notes });
  return copy;
}

/** A field that is left out when it has its zero value. */
export function omitted<T extends z.ZodType>(
  schema: T,
  description: string,
  notes: SchemaNotes = {},
): z.ZodOptional<T> {
  return note(schema.optional(), { zero: 'omit', description, ...notes });
}

/** A field that stays as it was set, its zero value included. */
export function pointer<T extends z.ZodType>(
  schema: T,
  description: string,
  notes: SchemaNotes = {},
): z.ZodOptional<T> {
  return note(schema.optional(), { zero: 'keep', description, ...notes });
}

/** A field that is always written, with its zero value when absent; clients may leave it out. */
export function filled<T extends z.ZodType>(schema: T, description: string, notes: SchemaNotes = {}): T {
  return note(schema, { zero: 'fill', description, ...notes });
}

/** A field that is always written, and that OpenAPI lists as required. */
export function required<T extends z.ZodType>(schema: T, description: string, notes: SchemaNotes = {}): T {
  return filled(schema, description, { requiredField: true, ...notes });
}

/** A string. */
export function text(): z.ZodString {
  return z.string();
}

/** A string with listed values. The list is for readers of OpenAPI; validation refuses others in its own words. */
export function choice(values: readonly string[], goType?: string): z.ZodString {
  return note(z.string(), { enum: [...values].sort(), ...(goType === undefined ? {} : { goType }) });
}

/** A boolean. */
export function flag(): z.ZodBoolean {
  return z.boolean();
}

/** A 32-bit integer. */
export function int32(): z.ZodType<number> {
  return note(z.number(), { format: 'int32' });
}

/** A 64-bit integer; the type is a number since no field here passes 2^53 in earnest. */
export function int64(): z.ZodType<number> {
  return note(z.number(), { format: 'int64' });
}

/** An amount in canonical text, such as `500m` or `1Gi`. */
export function quantity(): z.ZodString {
  return note(z.string(), {
    format: 'quantity',
    definition: 'io.k8s.apimachinery.pkg.api.resource.Quantity',
    goType: 'resource.Quantity',
  });
}

/** A moment in RFC 3339, UTC, whole seconds. */
export function time(): z.ZodString {
  return note(z.string(), {
    format: 'date-time',
    definition: 'io.k8s.apimachinery.pkg.apis.meta.v1.Time',
    goType: 'v1.Time',
  });
}

/** A number, or a name or percentage. */
export function intOrString(): z.ZodUnion<[z.ZodNumber, z.ZodString]> {
  return note(z.union([z.number(), z.string()]), {
    format: 'int-or-string',
    definition: 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
    goType: 'intstr.IntOrString',
  });
}

/** A map from any string. */
export function mapOf<T extends z.ZodType>(values: T): z.ZodRecord<z.ZodString, T> {
  return z.record(z.string(), values);
}

/** Amounts by resource name. */
export function resourceList(): z.ZodRecord<z.ZodString, z.ZodString> {
  return note(mapOf(quantity()), { goType: 'v1.ResourceList' });
}

/** A list that is replaced whole. */
export function atomicList<T extends z.ZodType>(items: T): z.ZodArray<T> {
  return note(z.array(items), { listType: 'atomic' });
}

/** A list of unique values. */
export function setList<T extends z.ZodType>(items: T): z.ZodArray<T> {
  return note(z.array(items), { listType: 'set' });
}

/** A list whose items are told apart by `keys`; a strategic merge patch merges it by its only key. */
export function mapList<T extends z.ZodType>(
  items: T,
  keys: readonly [string],
  options = { patch: true },
): z.ZodArray<T> {
  const patch: SchemaNotes = options.patch ? { patchStrategy: ['merge'], patchMergeKey: keys[0] } : {};
  return note(z.array(items), { listType: 'map', listMapKeys: keys, ...patch });
}

/** An object with known fields. */
export function struct<S extends z.ZodRawShape>(type: TypeNotes, shape: S): z.ZodObject<S> {
  const goType = type.definition.split('.').slice(-2).join('.');
  return note(z.object(shape), { ...type, goType }) as z.ZodObject<S>;
}
