import { describe, expect, it } from 'vitest';

import { GonePods } from './gone-pods.ts';

describe('GonePods', () => {
  it('knows who was seen to go, and when', () => {
    const gone = new GonePods();
    gone.add('n/a', 1_000);
    expect(gone.hasGoneSince('n/a', 1_000)).toBe(true);
    expect(gone.hasGoneSince('n/a', 1_001)).toBe(false);
    expect(gone.hasGoneSince('n/b', 0)).toBe(false);
  });

  it('forgets who has come back, and everybody after a minute', () => {
    const gone = new GonePods();
    gone.add('n/a', 1_000);
    gone.add('n/b', 1_000);
    gone.delete('n/a');
    expect(gone.hasGoneSince('n/a', 0)).toBe(false);
    gone.add('n/c', 61_000);
    expect(gone.hasGoneSince('n/b', 0)).toBe(false);
    expect(gone.hasGoneSince('n/c', 0)).toBe(true);
  });
});
