import type { Ingress, IngressBackend } from './schema.ts';

function fillApiGroup(backend: IngressBackend | undefined): void {
  if (backend?.resource !== undefined) backend.resource.apiGroup ??= null;
}

/** An absent API group of a resource backend is written as null. In place. */
export function applyIngressDefaults({ spec }: Ingress): void {
  fillApiGroup(spec.defaultBackend);
  for (const rule of spec.rules ?? []) {
    for (const path of rule.http?.paths ?? []) fillApiGroup(path.backend);
  }
}
