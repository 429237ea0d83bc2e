import { expect, it } from 'vitest';
import { isWaitedFor } from './is-waited-for.ts';

const locks = [
  '1: POSIX  ADVISORY  WRITE 15784 fe:00:10365377 1073741826 1073742335',
  '2: FLOCK  ADVISORY  WRITE 13847 00:2e:13 0 EOF',
  '3: FLOCK  ADVISORY  WRITE 15854 fe:00:11216713 0 EOF',
  '3: -> FLOCK  ADVISORY  WRITE 15863 fe:00:11216713 0 EOF',
  '',
].join('\n');

it.for([
  [15854, true],
  [13847, false],
  [15863, false],
  [15784, false],
  [1, false],
] as const)('of what process %s has locked, someone waits for it: %s', ([holder, isWaited]) => {
  expect(isWaitedFor(locks, holder)).toBe(isWaited);
});
