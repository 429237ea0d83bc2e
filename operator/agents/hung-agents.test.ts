import { expect, it } from 'vitest';
import { ManualClock } from '../../platform/process/manual-clock.ts';
import { HungAgents } from './hung-agents.ts';

it('spares an agent for five seconds after each time that it hung, and no other', () => {
  const clock = new ManualClock();
  const hung = new HungAgents(clock);
  expect(hung.has('a')).toBe(false);
  hung.note('a');
  clock.setBack(3_600_000);
  clock.advance(4_999);
  expect([hung.has('a'), hung.has('b')]).toEqual([true, false]);
  hung.note('a');
  clock.advance(4_999);
  expect(hung.has('a')).toBe(true);
  clock.advance(1);
  expect(hung.has('a')).toBe(false);
});
