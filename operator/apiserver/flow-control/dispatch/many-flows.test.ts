import { expect, it, vi } from 'vitest';
import { parseRequestInfo } from '../../request-info.ts';
import { tabulateExecuting, tabulateLevels } from '../format-dumps.ts';
import type { FlowDetails } from '../flow-pass.ts';
import { buildDispatcher, makeTestedLevel } from './build-test-dispatcher.ts';
import type { LevelDump } from './describe-level.ts';
import { FlowSchemaState } from './flow-schema-state.ts';

const many = 150_000;
const queuing = { queues: 2, handSize: 1, queueLengthLimit: many };
const hand = { queues: 64, handSize: 8, queueLengthLimit: many };

it('describes queues in which very many flows wait, in the order of arrival', () => {
  const { clock, dispatcher, ask } = buildDispatcher({ seats: 1, queuing });
  const asked = Array.from({ length: many }, (_, i) => {
    if (i % 1000 === 0) clock.advance(1);
    return ask(`flow ${i}`);
  });
  const queues = dispatcher.dump().find(({ name }) => name === 'tested')?.queues ?? [];
  expect(queues.map(({ index }) => index)).toEqual([0, 1]);
  const waiting = queues.map((queue) => queue.waiting);
  expect(queues.map(({ waitingCount }) => waitingCount)).toEqual(waiting.map(({ length }) => length));
  expect(waiting.flat()).toHaveLength(many - 1);
  for (const tickets of waiting) {
    expect(tickets.every(({ arrivedNanos }, i) => arrivedNanos >= (tickets[i - 1]?.arrivedNanos ?? 0))).toBe(true);
  }
  for (const { ticket } of asked) ticket.finish();
});

it('lists none that wait where only those are shown that execute, or counts', () => {
  const { dispatcher, ask } = buildDispatcher({ seats: 1, queuing });
  const info = parseRequestInfo('GET', '/version', new URLSearchParams());
  const details: FlowDetails = { user: { username: 'u', groups: [] }, info, auditId: 'one' };
  ask('a', { details: details as never });
  ask('b', { details: details as never });
  const levels = dispatcher.dump() as unknown as LevelDump<FlowDetails>[];
  const looks = levels.map((level) => vi.spyOn(level, 'queues', 'get'));
  expect([...tabulateLevels(levels)]).toHaveLength(4);
  expect([...tabulateExecuting(levels, { nowNanos: 0, nowMillis: 0 })].map((row) => row[2])).toEqual([
    'FlowDistinguisher',
    'a',
  ]);
  for (const look of looks) expect(look).not.toHaveBeenCalled();
});

it('deals a flow its new hand when it sends the next request', () => {
  const { dispatcher, ask } = buildDispatcher({ seats: 1, queuing });
  const first = ask('a');
  dispatcher.configure(makeTestedLevel({ queuing: hand }));
  const next = ask('a');
  expect(dispatcher.findHand('tested', 'tested', 'a')).toContain(next.ticket.queue?.index);
  expect(next.ticket.share).toBe(first.ticket.share);
  const schema = new FlowSchemaState('s');
  const { share, hand: dealt } = schema.findFlow('a', queuing);
  expect(schema.findFlow('a', { ...queuing }).hand).toBe(dealt);
  const again = schema.findFlow('a', hand);
  expect([again.hand.length, again.share]).toEqual([8, share]);
  expect(schema.flowCount).toBe(1);
});
