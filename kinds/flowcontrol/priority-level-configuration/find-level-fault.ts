import type { PriorityLevelConfiguration } from './schema.ts';

/** Why requests cannot be dispatched by a level, as when it was stored by rules of another version; `undefined` when they can. */
export function findLevelFault({ metadata, spec }: PriorityLevelConfiguration): string | undefined {
  const { type, limited, exempt } = spec;
  if ((type === 'Limited') !== (limited !== undefined)) return 'broken union structure at the top, for Limited';
  if ((type === 'Exempt') !== (exempt !== undefined)) return 'broken union structure at the top, for Exempt';
  if ((type === 'Exempt') !== (metadata.name === 'exempt')) return 'non-alignment between name and type';
  if (limited === undefined) return undefined;
  const { limitResponse } = limited;
  return (limitResponse.type === 'Reject') === (limitResponse.queuing === undefined)
    ? undefined
    : 'broken union structure for limit response';
}
