import { decodeTyped, type DecodedObject, type DecodeOptions } from '../core/decode/decode-typed.ts';
import type { JsonValue } from '../core/meta/json.ts';
import type { KindDefinition } from './kind-definition.ts';

/** An object of a kind from what a client sent, or why it is none, in Go's words. `value` is not changed, and nothing of it is shared. */
export function decodeObject(
  kind: Pick<KindDefinition, 'schema' | 'decode'>,
  value: JsonValue,
  options: DecodeOptions = {},
): DecodedObject | { readonly fault: string } {
  return kind.decode === undefined ? decodeTyped(value, kind.schema, options) : kind.decode(value, options);
}
