import { quoteGo } from '../errors/quote-go.ts';
import { nameGoStruct } from '../decode/name-go-type.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { PatchFault } from './patch-fault.ts';

/** How a strategic merge patch treats one field. */
export interface PatchGuide {
  readonly schema: StructuralSchema;
  readonly strategy: 'merge' | 'replace' | '';
  /** Empty for none. */
  readonly mergeKey: string;
}

/** The guide of a field whose value is an object. Throws a PatchFault for a field that the schema does not know. */
export function guideObject(parent: StructuralSchema, key: string): PatchGuide {
  if (parent.properties === undefined) {
    const kind = parent.type === 'object' ? (parent.values === undefined ? 'struct' : 'map') : parent.type;
    if (kind !== 'struct') {
      throw new PatchFault(
        'unexpected',
        `merging an object in json but data type is not struct, instead is: ${kind === 'any' ? 'interface' : kind}`,
      );
    }
  }
  const properties = parent.properties ?? {};
  const schema = Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (schema === undefined) {
    const struct = nameGoStruct(parent);
    throw new PatchFault(
      'unexpected',
      `unable to find api field in struct ${struct} for the json field ${quoteGo(key)}`,
    );
  }
  const strategy = schema.patchStrategy?.find((name) => name !== 'retainKeys') ?? '';
  return { schema, strategy, mergeKey: schema.patchMergeKey ?? '' };
}

/** The guide of a field whose value is a list; `schema` is that of its items. Throws a PatchFault like {@link guideObject}. */
export function guideList(parent: StructuralSchema, key: string): PatchGuide {
  const guide = guideObject(parent, key);
  if (guide.schema.type !== 'array') {
    throw new PatchFault('unexpected', 'expected slice or array type, but got: struct');
  }
  return { ...guide, schema: guide.schema.items ?? { type: 'any' } };
}
