import type { Service } from '../service/start-service.ts';

interface Settling {
  readonly metadata: { readonly generation?: number };
  readonly status?: {
    readonly used?: unknown;
    readonly observedGeneration?: number;
    readonly conditions?: readonly { readonly type: string }[];
  };
}

/** Whether the controllers of a kind, where it has any, have written the status of an object. */
const isSettled: Readonly<Record<string, (object: Settling) => boolean>> = {
  PodDisruptionBudget: ({ metadata, status }) => status?.observedGeneration === metadata.generation,
  ResourceQuota: ({ status }) => status?.used !== undefined,
  ValidatingAdmissionPolicy: ({ metadata, status }) => status?.observedGeneration === metadata.generation,
};

/** Types of the conditions that controllers write, by kind; those that depend on where an object is. */
export type WrittenConditions = Readonly<Record<string, readonly string[]>>;

/** What is written embedded. */
const embeddedConditions: WrittenConditions = { FlowSchema: ['Dangling'] };

/** What is written on a host. */
export const hostConditions: WrittenConditions = {
  FlowSchema: ['Dangling', 'Enforced'],
  PriorityLevelConfiguration: ['Enforced'],
};

/** Reads an object until the controllers of its kind have written its status, so that nothing but the test writes it next. */
export async function settleStatus(
  service: Pick<Service, 'request'>,
  kind: string,
  path: string,
  written: WrittenConditions = embeddedConditions,
): Promise<void> {
  const types = written[kind] ?? [];
  const settled = isSettled[kind];
  if (settled === undefined && types.length === 0) return;
  for (;;) {
    const answer = await service.request('GET', path);
    if (answer.status !== 200) return;
    const object = answer.json as Settling;
    const conditions = new Set(object.status?.conditions?.map(({ type }) => type));
    if ((settled?.(object) ?? true) && types.every((type) => conditions.has(type))) return;
  }
}
