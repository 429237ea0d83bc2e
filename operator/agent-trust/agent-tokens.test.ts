import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../platform/process/manual-clock.ts';
import { AgentTokens } from './agent-tokens.ts';

describe('tokens for agents', () => {
  let clock: ManualClock;
  let issued: string[];
  let fault: Error | undefined;
  let tokens: AgentTokens;

  beforeEach(() => {
    clock = new ManualClock();
    issued = [];
    fault = undefined;
    tokens = new AgentTokens({
      ...{ domain: 'example.org', clock },
      async issue(audience, expirationSeconds) {
        issued.push(audience);
        if (fault !== undefined) throw fault;
        return { token: `${audience} ${issued.length}`, expiresMillis: clock.now() + expirationSeconds * 1_000 };
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

  it('are asked for again after a failure', async () => {
    fault = new Error('not now');
    await expect(tokens.read('a')).rejects.toThrow('not now');
    fault = undefined;
    expect(await tokens.read('a')).toBe('agent.example.org/a 2');
  });
});
