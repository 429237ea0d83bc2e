import type { KubeObject } from '../../core/meta/kube-object.ts';
import { formatAge } from '../format-age.ts';

/** The cell of the column Name. */
export function nameOf(object: KubeObject): string {
  return object.metadata.name ?? '';
}

/** The cell of the column Age. */
export function ageOf(object: KubeObject, nowMillis: number): string {
  return formatAge(object.metadata.creationTimestamp, nowMillis);
}

/** The cell of the column Created At. */
export function createdAtOf(object: KubeObject): string | null {
  return object.metadata.creationTimestamp ?? null;
}
