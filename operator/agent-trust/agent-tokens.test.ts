import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../platform/process/manual-clock.ts';
import { AgentTokens } from './agent-tokens.ts';

describe('tokens for agents', () => {
  let clock: ManualClock;
  let issued: string[];
  /** How far the clock of the API server is ahead. */
  let ahead: number;
  let fault: Error | undefined;
  let tokens: AgentTokens;

  beforeEach(() => {
    clock = new ManualClock();
    issued = [];
    ahead = 0;
    fault = undefined;
    tokens = new AgentTokens({
      ...{ domain: 'example.org', clock },
      async issue(audience, expirationSeconds) {
        issued.push(audience);
        if (fault !== undefined) throw fault;
        return {
          token: `${audience} ${issued.length}`,
          expiresMillis: clock.now() + ahead + expirationSeconds * 1_000,
        };
      },
    });
  });

  it('are for one node each, and asked for once by many', async () => {
    const read = await Promise.all(['a', 'b', 'a', 'b', 'a'].map((node) => tokens.read(node)));
    const [a, b] = ['agent.example.org/a 1', 'agent.example.org/b 2'];
    expect(read).toEqual([a, b, a, b, a]);
  });

  it('are renewed while minutes of their life are left', async () => {
    const first = await tokens.read('a');
    clock.advance(419_000);
    expect(await tokens.read('a')).toBe(first);
    clock.advance(2_000);
    expect(await tokens.read('a')).not.toBe(first);
    expect(issued).toHaveLength(2);
  });

  it('are not shown beyond their lives, whatever the clock is set to', async () => {
    const first = await tokens.read('a');
    clock.setBack(3_600_000);
    expect(await tokens.read('a')).not.toBe(first);
    ahead = 300_000;
    const second = await tokens.read('b');
    clock.advance(421_000);
    expect(await tokens.read('b')).not.toBe(second);
  });

  it('are replaced when their agent refuses them, unless they are new', async () => {
    const first = await tokens.read('a');
    expect(await tokens.replace('a', first)).toBeUndefined();
    clock.advance(11_000);
    const [second, same] = await Promise.all([tokens.replace('a', first), tokens.replace('a', first)]);
    expect(second).toBe('agent.example.org/a 2');
    expect(same).toBe(second);
    expect(await tokens.read('a')).toBe(second);
    expect(await tokens.replace('a', first)).toBe(second);
  });

  it('are asked for again after a failure', async () => {
    fault = new Error('not now');
    await expect(tokens.read('a')).rejects.toThrow('not now');
    fault = undefined;
    expect(await tokens.read('a')).toBe('agent.example.org/a 2');
  });
});
