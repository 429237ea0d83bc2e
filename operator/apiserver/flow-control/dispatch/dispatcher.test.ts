import { describe, expect, it } from 'vitest';
import { buildDispatcher } from './build-test-dispatcher.ts';

describe('Dispatcher', () => {
  it('lets a request in at once while seats are free, and others when it is over', () => {
    const { dispatcher, ask } = buildDispatcher({ seats: 2, queuing: { queues: 4, handSize: 2, queueLengthLimit: 2 } });
    const [first, second, third] = [ask('a'), ask('a'), ask('a')];
    expect([first.ticket.state, second.ticket.state, third.ticket.state]).toEqual([
      'executing',
      'executing',
      'waiting',
    ]);
    expect(third.decisions).toEqual([]);
    first.ticket.finish();
    expect([third.ticket.state, third.decisions]).toEqual(['executing', [undefined]]);
    expect(dispatcher.dump().find(({ name }) => name === 'tested')).toMatchObject({ executing: 2, waiting: 0 });
  });
});
