import { describe, expect, it } from 'vitest';

import type { RegistrationWrite } from '../../../admission/registrations/plan-registrations.ts';
import { MutationLead } from './mutation-lead.ts';

const object = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'WebhookConfiguration', metadata: {} };
const writes = {
  more: { action: 'update', type: 'mutating', object, isLeading: true },
  trust: { action: 'update', type: 'mutating', object, isLeading: false },
  judge: { action: 'update', type: 'validating', object, isLeading: false },
  begin: { action: 'create', type: 'validating', object, isLeading: false },
  end: { action: 'delete', type: 'validating', object, isLeading: false },
} as const satisfies Record<string, RegistrationWrite>;

type Name = keyof typeof writes;

describe('MutationLead', () => {
  it.for<[string, [atMillis: number, written: Name][], number, Name, number]>([
    ['nothing while nothing was written', [], 0, 'judge', 0],
    ['until more is filled in for half a second', [[100, 'more']], 200, 'judge', 400],
    ['as long to create as to change', [[100, 'more']], 200, 'begin', 400],
    ['no longer than that', [[100, 'more']], 600, 'judge', 0],
    ['not to take away', [[100, 'more']], 200, 'end', 0],
    ['not to fill in even more', [[100, 'more']], 200, 'more', 0],
    ['not for new authorities', [[100, 'trust']], 200, 'judge', 0],
    [
      'from the last write',
      [
        [100, 'more'],
        [400, 'more'],
      ],
      500,
      'judge',
      400,
    ],
    [
      'not again for what follows',
      [
        [100, 'more'],
        [600, 'begin'],
      ],
      600,
      'judge',
      0,
    ],
    ['two seconds at most', Array.from({ length: 20 }, (_, i) => [i * 100, 'more']), 1_950, 'judge', 50],
  ])('waits %s', ([, written, nowMillis, next, expected]) => {
    let nowNanos = 0;
    const lead = new MutationLead({ nowNanos: () => nowNanos });
    for (const [atMillis, name] of written) {
      nowNanos = atMillis * 1e6;
      lead.note(writes[name]);
    }
    nowNanos = nowMillis * 1e6;
    expect(lead.findWaitMillis(writes[next])).toBe(expected);
  });
});
