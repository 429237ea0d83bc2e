import { decodeTyped } from '../core/decode/decode-typed.ts';
import { formatFieldError } from '../core/errors/make-field-error.ts';
import { isJsonObject, type JsonObject, type JsonValue, setOwn } from '../core/meta/json.ts';
import type { KubeObject } from '../core/meta/kube-object.ts';
import { applySchemaDefaults } from '../core/schema/apply-schema-defaults.ts';
import type { KindDefinition, StrategyContext } from '../kinds/kind-definition.ts';

/** An object to act on, or why it is none: its faults in Kubernetes' words, never empty. */
export type Enforceable<T extends KubeObject> =
  | { readonly object: T; readonly faults?: undefined }
  | { readonly object?: undefined; readonly faults: readonly string[] };

/** What a status holds beside the fields of the schema is the writer's own, and stays. */
function keepForeignStatus(object: JsonObject, raw: JsonValue | undefined): void {
  const { status } = object;
  if (!isJsonObject(raw)) return;
  if (!isJsonObject(status)) {
    object['status'] = raw;
    return;
  }
  for (const key of Object.keys(raw)) if (!Object.hasOwn(status, key)) setOwn(status, key, raw[key]);
}

/**
 * An object of an own kind as the API service would hold it, in canonical form and with the kind's defaults, when the kind's rules let it be.
 * A host's schema alone lets more through than those rules. `raw` bears the kind's own apiVersion and is not changed.
 */
export function checkEnforceable<T extends KubeObject>(
  kind: KindDefinition<T>,
  raw: KubeObject,
  context: StrategyContext,
): Enforceable<T> {
  const decoded = decodeTyped(raw as unknown as JsonValue, kind.schema, {});
  if ('fault' in decoded) return { faults: [decoded.fault] };
  applySchemaDefaults(decoded.object, kind.schema);
  const object = decoded.object as unknown as T;
  kind.strategy.applyDefaults(object, context);
  const faults = kind.strategy.validateCreate(object, context);
  if (faults.length > 0) return { faults: faults.map(formatFieldError) };
  keepForeignStatus(decoded.object, (raw as unknown as JsonObject)['status']);
  return { object };
}
