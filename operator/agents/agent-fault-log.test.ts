import { pino } from 'pino';
import { expect, it } from 'vitest';
import { AgentFaultLog } from './agent-fault-log.ts';
import { AgentFault, makeAgentUnavailableError } from './agent-failure.ts';

interface Line {
  readonly level: number;
  readonly node: string;
  readonly cause: string;
  readonly err: { readonly stack: string };
}

function startLog(): { log: AgentFaultLog; lines: Line[] } {
  const lines: Line[] = [];
  const write = (text: string): void => void lines.push(JSON.parse(text) as Line);
  return { log: new AgentFaultLog(pino({ level: 'info' }, { write })), lines };
}

const forbidden = new Error('serviceaccounts "bw-operator" is forbidden');
const noToken = new AgentFault('no token for it could be had', { cause: forbidden });
const untrusted = Object.assign(new Error('unable to verify the first certificate'), {
  code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
});

it.for<[string, Error, string]>([
  ['what kept a token from it', noToken, 'serviceaccounts "bw-operator" is forbidden'],
  [
    'what is wrong with its certificate',
    untrusted,
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE: unable to verify the first certificate',
  ],
])('says of an agent that cannot be asked %s', ([, cause, expected]) => {
  const { log, lines } = startLog();
  const fault = makeAgentUnavailableError('node-1', 'the connection failed', cause);
  log.note('node-1', fault);
  expect(lines).toEqual([expect.objectContaining({ level: 40, node: 'node-1', cause: expected })]);
  expect(lines[0]?.err.stack).toContain(expected.split(': ').at(-1));
  expect(JSON.stringify(fault.status)).not.toContain(expected);
});

it('says so once for each node and reason, and again after the agent answered', () => {
  const { log, lines } = startLog();
  const refused = makeAgentUnavailableError('a', 'no', new Error('refused'));
  const late = makeAgentUnavailableError('a', 'no', new Error('late'));
  for (const fault of [refused, refused, late, late]) log.note('a', fault);
  log.note('b', refused);
  log.forget('a');
  log.note('a', late);
  expect(lines.map(({ node, cause }) => `${node} ${cause}`)).toEqual(['a refused', 'a late', 'b refused', 'a late']);
});
