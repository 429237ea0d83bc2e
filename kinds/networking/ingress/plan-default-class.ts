import type { KubeObject } from '../../../core/meta/kube-object.ts';
import type { Ingress } from './schema.ts';

const defaultAnnotation = 'ingressclass.kubernetes.io/is-default-class';
const legacyAnnotation = 'kubernetes.io/ingress.class';

/** Whether a new ingress leaves its class open: it names none, nor does the annotation of old. */
export function leavesClassOpen(ingress: Ingress): boolean {
  const annotations = ingress.metadata.annotations ?? {};
  return ingress.spec?.ingressClassName === undefined && !Object.hasOwn(annotations, legacyAnnotation);
}

function compareClasses(left: KubeObject, right: KubeObject): number {
  const [leftTime, rightTime] = [left, right].map(({ metadata }) => Date.parse(metadata.creationTimestamp ?? ''));
  if (leftTime !== rightTime) return (rightTime ?? 0) - (leftTime ?? 0);
  return (left.metadata.name ?? '') < (right.metadata.name ?? '') ? -1 : 1;
}

/**
 * Name of the class that ingresses without one get: of the IngressClasses that are marked as default the newest, and of several that are
 * equally old the first by name. `undefined`: none is marked.
 */
export function planDefaultClass(classes: readonly KubeObject[]): string | undefined {
  const marked = classes.filter(({ metadata }) => metadata.annotations?.[defaultAnnotation] === 'true');
  return marked.toSorted(compareClasses)[0]?.metadata.name;
}
