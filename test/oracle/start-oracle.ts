import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

import { buildOracle } from './build-oracle.ts';
import type { OracleAnswer, OracleRequest } from './oracle-protocol.ts';

/** A running oracle. */
export interface Oracle {
  /** Rejects when the oracle has ended. */
  ask(request: OracleRequest): Promise<OracleAnswer>;
  /** Answers in the order of the requests. */
  askAll(requests: readonly OracleRequest[]): Promise<readonly OracleAnswer[]>;
  stop(): Promise<void>;
}

/** cel-go's lists and texts may grow without end within a budget; then the oracle ends, and not the machine. */
const addressSpaceKilobytes = 8_000_000;

/** Starts the oracle, building it when it has to. */
export async function startOracle(): Promise<Oracle> {
  const child = spawn('sh', ['-c', `ulimit -v ${addressSpaceKilobytes}; exec "$0"`, await buildOracle()], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const waiting: PromiseWithResolvers<OracleAnswer>[] = [];
  const ended = once(child, 'close');
  createInterface({ input: child.stdout }).on('line', (line) => {
    waiting.shift()?.resolve(JSON.parse(line) as OracleAnswer);
  });
  void ended.then(() => {
    for (const { reject } of waiting.splice(0)) reject(new Error('the oracle ended before it answered'));
  });
  // Its end is told by `close`; a question written meanwhile is rejected there.
  child.stdin.on('error', () => undefined);
  const ask = (request: OracleRequest): Promise<OracleAnswer> => {
    const answer = Promise.withResolvers<OracleAnswer>();
    waiting.push(answer);
    child.stdin.write(`${JSON.stringify(request)}\n`);
    return answer.promise;
  };
  return {
    ask,
    askAll: (requests) => Promise.all(requests.map(ask)),
    stop: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
