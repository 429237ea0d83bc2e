import { decodeTyped } from '../../core/decode/decode-typed.ts';
import { FieldPath } from '../../core/errors/field-path.ts';
import { formatFieldErrorBody } from '../../core/errors/make-field-error.ts';
import type { JsonObject } from '../../core/meta/json.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import { validateObjectMeta } from '../../core/validation/object-meta.ts';
import { customResourceDefinitionKind } from '../../kinds/apiextensions/custom-resource-definition/definition.ts';

// As the API service does before it judges a write.
await customResourceDefinitionKind.strategy.loadChecks?.();

const context = { domain: 'k8s.io', nowMillis: 0 };

/** What the kind says to a new definition: its faults with their paths, in any order, or the fault of the body. */
export function judgeDefinition(body: JsonObject): string[] {
  const { strategy, schema } = customResourceDefinitionKind;
  const decoded = decodeTyped(body, schema);
  if ('fault' in decoded) return [decoded.fault];
  const object = decoded.object as unknown as KubeObject;
  strategy.applyDefaults(object, context);
  strategy.prepareForCreate(object, context);
  const errors = [
    ...validateObjectMeta(
      object.metadata,
      { namespaced: false, allowsPlainFinalizers: true },
      FieldPath.root('metadata'),
    ),
    ...strategy.validateCreate(object, context),
  ];
  return errors.map((error) => `${error.field}: ${formatFieldErrorBody(error)}`);
}
