import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A running program that answers each line of JSON with one. */
export interface LineProgram<Question, Answer> {
  /** Rejects when the program has ended. */
  ask(question: Question): Promise<Answer>;
  /** Answers in the order of the questions. */
  askAll(questions: readonly Question[]): Promise<readonly Answer[]>;
  stop(): Promise<void>;
}

/** Starts such a program; `addressSpaceKilobytes` bounds what it may map, so that it ends, and not the machine. */
export function askByLines<Question, Answer>(
  program: string,
  addressSpaceKilobytes: number,
): LineProgram<Question, Answer> {
  const child = spawn('sh', ['-c', `ulimit -v ${addressSpaceKilobytes}; exec "$0"`, program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const waiting: PromiseWithResolvers<Answer>[] = [];
  const ended = once(child, 'close');
  createInterface({ input: child.stdout }).on('line', (line) => {
    waiting.shift()?.resolve(JSON.parse(line) as Answer);
  });
  void ended.then(() => {
    for (const { reject } of waiting.splice(0)) reject(new Error('the oracle ended before it answered'));
  });
  // Its end is told by `close`; a question written meanwhile is rejected there.
  child.stdin.on('error', () => undefined);
  const ask = (question: Question): Promise<Answer> => {
    const answer = Promise.withResolvers<Answer>();
    waiting.push(answer);
    child.stdin.write(`${JSON.stringify(question)}\n`);
    return answer.promise;
  };
  return {
    ask,
    askAll: (questions) => Promise.all(questions.map(ask)),
    stop: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
