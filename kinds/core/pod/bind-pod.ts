import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeNotSupported, makeRequired } from '../../../core/errors/make-field-error.ts';
import { setOwn } from '../../../core/meta/json.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { ensureObject, readItems, readText, readTexts } from '../../workloads/read-field.ts';
import { setPodCondition } from './pod-condition.ts';

/** Faults of a Binding. */
export function validateBinding(binding: KubeObject): FieldError[] {
  const path = FieldPath.root('target');
  const kind = readText(binding, 'target', 'kind');
  const errors: FieldError[] = [];
  if (kind !== '' && kind !== 'Node') errors.push(makeNotSupported(path.child('kind'), kind, ['Node', '<empty>']));
  if (readText(binding, 'target', 'name') === '') errors.push(makeRequired(path.child('name'), ''));
  return errors;
}

/** Why a pod cannot be put on a node; `undefined` when it can. */
function describeObstacle(pod: KubeObject): string | undefined {
  const { name, deletionTimestamp } = pod.metadata;
  const nodeName = readText(pod, 'spec', 'nodeName');
  if (deletionTimestamp !== undefined) return `pod ${name} is being deleted, cannot be assigned to a host`;
  if (nodeName !== '') return `pod ${name} is already assigned to node ${JSON.stringify(nodeName)}`;
  if (readItems(pod, 'spec', 'schedulingGates').length > 0) return `pod ${name} has non-empty .spec.schedulingGates`;
  return undefined;
}

/** Puts a pod on the node of a valid Binding, in place; or tells why it cannot be, and changes nothing. */
export function bindPod(pod: KubeObject, binding: KubeObject, nowMillis: number): string | undefined {
  const obstacle = describeObstacle(pod);
  if (obstacle !== undefined) return obstacle;
  ensureObject(pod, 'spec')['nodeName'] = readText(binding, 'target', 'name');
  for (const [name, value] of Object.entries(readTexts(binding, 'metadata', 'annotations'))) {
    setOwn(ensureObject(pod.metadata, 'annotations'), name, value);
  }
  setPodCondition(pod, { type: 'PodScheduled', status: 'True' }, nowMillis);
  return undefined;
}
