import { describe, expect, it } from 'vitest';

import { judgeImpossibleBudget } from './judge-impossible-budget.ts';
import type { PodDisruptionBudget } from './schema.ts';

type Row = readonly [PodDisruptionBudget['spec'], number | undefined, string | undefined];

describe('judgeImpossibleBudget', () => {
  it.for<Row>([
    [{ maxUnavailable: 0 }, undefined, 'static: maxUnavailable is 0'],
    [{ maxUnavailable: '0%' }, 5, 'static: maxUnavailable is 0%'],
    [{ maxUnavailable: '00%' }, 5, 'static: maxUnavailable is 00%'],
    [{ maxUnavailable: 1 }, 1, undefined],
    [{ maxUnavailable: '1%' }, 1, undefined],
    [{ maxUnavailable: 'ten' }, 1, undefined],
    [{ minAvailable: '100%' }, undefined, 'static: minAvailable is 100%'],
    [{ minAvailable: '99%' }, undefined, undefined],
    [{ minAvailable: '99%' }, 100, undefined],
    [
      { minAvailable: '99%' },
      3,
      'scale: minAvailable is 99%, which is 3 pods, and the controllers of the selected pods want 3 replicas',
    ],
    [{ minAvailable: 3 }, 3, 'scale: minAvailable is 3, and the controllers of the selected pods want 3 replicas'],
    [{ minAvailable: 1 }, 1, 'scale: minAvailable is 1, and the controllers of the selected pods want 1 replica'],
    [{ minAvailable: 3 }, 4, undefined],
    [{ minAvailable: 0 }, 0, undefined],
    [{ minAvailable: 3 }, 0, undefined],
    [{ minAvailable: 3 }, undefined, undefined],
    [{ minAvailable: 0 }, 3, undefined],
    [{}, 3, undefined],
  ])('%j of %s replicas: %s', ([spec, replicas, expected]) => {
    const judged = judgeImpossibleBudget(spec, replicas);
    const consequence = ': no eviction of a healthy pod can ever be allowed, so nodes with such pods cannot be drained';
    expect(judged && `${judged.kind}: ${judged.message}`).toBe(expected && `${expected}${consequence}`);
  });
});
