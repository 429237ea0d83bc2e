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
  FlowSchema: ({ status }) => status?.conditions?.some(({ type }) => type === 'Dangling') === true,
  PodDisruptionBudget: ({ metadata, status }) => status?.observedGeneration === metadata.generation,
  ResourceQuota: ({ status }) => status?.used !== undefined,
  ValidatingAdmissionPolicy: ({ metadata, status }) => status?.observedGeneration === metadata.generation,
};

/** Reads an object until the controllers of its kind have written its status, so that nothing but the test writes it next. */
export async function settleStatus(service: Pick<Service, 'request'>, kind: string, path: string): Promise<void> {
  const settled = isSettled[kind];
  if (settled === undefined) return;
  for (;;) {
    const answer = await service.request('GET', path);
    if (answer.status !== 200 || settled(answer.json as Settling)) return;
  }
}
