import { expect, it } from 'vitest';
import type { AuthorizationDecision } from '../authz/authorizer.ts';
import { SimulatedClock } from './dispatch/simulated-clock.ts';
import { NameAudience } from './name-audience.ts';

const yes: AuthorizationDecision = { allowed: true, reason: '' };

function makeAudience(authorize: () => Promise<AuthorizationDecision>) {
  const clock = new SimulatedClock();
  const asked = { count: 0 };
  const authorizer = {
    authorize: () => {
      asked.count += 1;
      return authorize();
    },
  };
  return { clock, asked, audience: new NameAudience({ authorizer, domain: 'k8s.io', clock }) };
}

function makeUser(username: string) {
  return { username, groups: ['system:authenticated'] };
}

it.for([
  ['may list both', async () => yes, true],
  ['may not', async () => ({ allowed: false, reason: '' }), false],
  ['is not known to, since the question fails', () => Promise.reject(new Error('no answer')), false],
] as const)('tells who %s', async ([, authorize, isTold]) => {
  const { audience } = makeAudience(authorize);
  expect(await audience.includes(makeUser('a'))).toBe(isTold);
});

it('waits 100 ms for an answer and no longer, also for one that was asked for before', async () => {
  const { audience, clock } = makeAudience(() => new Promise(() => undefined));
  const first = audience.includes(makeUser('a'));
  clock.advance(99);
  const settled = { first: false };
  void first.then(() => (settled.first = true));
  await Promise.resolve();
  expect(settled.first).toBe(false);
  clock.advance(1);
  expect(await first).toBe(false);
  expect(await audience.includes(makeUser('a'))).toBe(false);
});

it('asks once for all refusals of a user, and for 32 users at a time', async () => {
  let answer: (decision: AuthorizationDecision) => void = () => undefined;
  const answered = new Promise<AuthorizationDecision>((resolve) => (answer = resolve));
  const { audience, asked } = makeAudience(() => answered);
  const told = Array.from({ length: 1000 }, () => audience.includes(makeUser('a')));
  expect(asked.count).toBe(1);
  const others = Array.from({ length: 40 }, (_, i) => audience.includes(makeUser(`user-${i}`)));
  expect(asked.count).toBe(32);
  answer(yes);
  expect(new Set(await Promise.all(told))).toEqual(new Set([true]));
  expect((await Promise.all(others)).filter((isTold) => isTold)).toHaveLength(31);
  expect(await audience.includes(makeUser('late'))).toBe(true);
});
