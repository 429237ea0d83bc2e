import * as fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../core/meta/json.ts';
import { formatGoDuration } from '../../../core/time/format-go-duration.ts';
import { type ConfigField, type ConfigGroup, isConfigGroup } from '../config-field.ts';
import { featureGateDefinitions } from '../feature-gates.ts';

const text = fc.stringMatching(/^[a-z][a-z0-9./]{0,8}$/);
const openGates = Object.entries(featureGateDefinitions).flatMap(([name, definition]) =>
  'isLocked' in definition ? [] : [name],
);

function arbitraryMap(key: fc.Arbitrary<string>, value: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue> {
  return fc.dictionary(key, value, { maxKeys: 4, noNullPrototype: true });
}

/** Values that are not read as absent. */
function arbitraryValue(field: ConfigField): fc.Arbitrary<JsonValue> {
  const { minimum = 0, maximum = 100_000, values } = field;
  switch (field.type) {
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: Math.max(1, minimum), max: maximum });
    case 'text':
      if (values !== undefined) return fc.constantFrom(...values);
      return field.isPath === true ? text.map((name) => `/${name}`) : text;
    case 'duration':
      return fc.integer({ min: 1, max: 1e9 }).map(formatGoDuration);
    case 'bytes':
      return fc.integer({ min: 1, max: 1e6 }).map((count) => `${count}Mi`);
    case 'bytes or a share':
      return fc.integer({ min: 1, max: 100 }).map((count) => `${count}%`);
    case 'list of texts':
      return fc.array(text, { maxLength: 3 });
    case 'list of taints':
      return fc.array(fc.record({ key: fc.stringMatching(/^[a-z]{1,5}$/), effect: fc.constantFrom('NoSchedule', 'NoExecute') }), { maxLength: 2 });
    case 'map of texts':
      return arbitraryMap(text, text);
    case 'map of booleans':
      return arbitraryMap(fc.constantFrom(...openGates), fc.boolean());
    default:
      return arbitraryMap(text, fc.array(text, { maxLength: 3 }));
  }
}

/** What a file may set: any fields of the schema, but for `left` which it leaves alone; with `nulls` it also takes fields away. */
export function arbitraryDocument(
  { fields }: ConfigGroup,
  left: readonly string[] = [],
  nulls = false,
): fc.Arbitrary<JsonObject> {
  const members = Object.entries(fields).filter(([name]) => !left.includes(name));
  return fc.record(
    Object.fromEntries(
      members.map(([name, node]) => {
        const value = isConfigGroup(node) ? arbitraryDocument(node, left, nulls) : arbitraryValue(node);
        return [name, nulls ? fc.option<JsonValue>(value, { nil: null, freq: 6 }) : value];
      }),
    ),
    { requiredKeys: [], noNullPrototype: true },
  );
}

