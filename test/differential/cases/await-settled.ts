import { isDeepStrictEqual } from 'node:util';

import { read, type DifferentialStep } from '../differential-case.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- objects of any kind
const settled: Readonly<Record<string, (object: any) => boolean>> = {
  FlowSchema: ({ spec, status }) =>
    (status?.conditions ?? []).some(
      // oxlint-disable-next-line typescript/no-explicit-any -- conditions of any kind
      ({ type, message }: any) =>
        type === 'Dangling' && message?.includes(JSON.stringify(spec?.priorityLevelConfiguration?.name)),
    ),
  ResourceQuota: ({ spec, status }) => isDeepStrictEqual(status?.hard ?? {}, spec?.hard ?? {}),
  ValidatingAdmissionPolicy: ({ metadata, status }) => status?.observedGeneration === metadata?.generation,
};

/** Reads an object until controllers, where its kind has any, have written what they have to say about it. */
export function awaitSettled(kind: string, path: string, more: Partial<DifferentialStep> = {}): DifferentialStep {
  const until = settled[kind];
  return read(path, { ...(until === undefined ? {} : { until }), ...more });
}

/** Whether controllers write what they have to say about objects of a kind. */
export function isSettled(kind: string): boolean {
  return settled[kind] !== undefined;
}
