import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeDuplicate } from '../../../core/errors/make-field-error.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { validateLabels } from '../../../core/validation/object-meta.ts';
import { checkDns1123Label } from '../../../core/validation/names.ts';
import { makeInvalids } from '../../core/pod-spec/validate-choice.ts';
import { validateResourceList } from '../../core/pod-spec/validate-resources.ts';
import { validateTolerations } from '../../core/pod-spec/validate-scheduling.ts';
import { validateContainerResourceName } from '../../core/resource-names.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { ageColumn, nameColumn } from '../../printer-columns.ts';
import { defineWorkloadKind } from '../../workloads/define-workload-kind.ts';
import { shownColumn } from '../../workloads/format-cells.ts';
import { readItems, readNumber, readObject, readText, readTexts } from '../../workloads/read-field.ts';
import { ageOf, nameOf } from '../../workloads/row-cells.ts';
import { validateImmutable } from '../../workloads/validate-immutable.ts';

const handlerPath = FieldPath.root('handler');

/** A toleration as errors of Kubernetes quote it. */
function showToleration(toleration: JsonObject): JsonObject {
  return {
    Key: readText(toleration, 'key'),
    Operator: readText(toleration, 'operator'),
    Value: readText(toleration, 'value'),
    Effect: readText(toleration, 'effect'),
    TolerationSeconds: readNumber(toleration, 'tolerationSeconds') ?? null,
  };
}

function validateScheduling(runtimeClass: KubeObject): FieldError[] {
  const path = FieldPath.root('scheduling');
  const tolerations = readItems(runtimeClass, 'scheduling', 'tolerations');
  const at = path.child('tolerations');
  const keys = tolerations.map((toleration) =>
    ['key', 'operator', 'value', 'effect'].map((key) => readText(toleration, key)).join('\n'),
  );
  return [
    ...validateLabels(readTexts(runtimeClass, 'scheduling', 'nodeSelector'), path.child('nodeSelector')),
    ...validateTolerations(tolerations, at.child('tolerations')),
    ...tolerations.flatMap((toleration, index) =>
      keys.indexOf(keys[index] ?? '') < index ? [makeDuplicate(at.index(index), showToleration(toleration))] : [],
    ),
  ];
}

function validate(runtimeClass: KubeObject): FieldError[] {
  const handler = readText(runtimeClass, 'handler');
  const overhead = readObject(runtimeClass, 'overhead', 'podFixed');
  return [
    ...makeInvalids(handlerPath, handler, checkDns1123Label(handler)),
    ...validateResourceList(overhead, FieldPath.root('overhead', 'limits'), validateContainerResourceName),
    ...validateScheduling(runtimeClass),
  ];
}

/** RuntimeClass: what runs the containers of a pod. */
export const runtimeClassKind: KindDefinition = defineWorkloadKind({
  kind: 'RuntimeClass',
  group: 'node.k8s.io',
  plural: 'runtimeclasses',
  clusterScoped: true,
  columns: [nameColumn, shownColumn('Handler'), ageColumn],
  printRow: (object, now) => [nameOf(object), readText(object, 'handler'), ageOf(object, now)],
  rules: {
    validate,
    validateUpdate: (runtimeClass, old) =>
      validateImmutable(readText(runtimeClass, 'handler'), readText(old, 'handler'), handlerPath),
  },
  description: 'What runs the containers of a pod.',
});
