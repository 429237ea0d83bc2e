import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';

/** A program that answers each line with a line. */
export class LineProgram {
  readonly #child: ChildProcess;
  readonly #lines: Interface;

  constructor(program: string, words: readonly string[]) {
    this.#child = spawn(program, words, { stdio: ['pipe', 'pipe', 'inherit'] });
    if (this.#child.stdout === null) throw new Error(`${program} was started without a pipe`);
    this.#lines = createInterface({ input: this.#child.stdout });
  }

  /** The next line that it prints. */
  async read(): Promise<string> {
    const [line] = (await once(this.#lines, 'line')) as [string];
    return line;
  }

  /** Asks it one line at a time. */
  async ask(line: string): Promise<string> {
    const answer = this.read();
    this.#child.stdin?.write(`${line}\n`);
    return answer;
  }

  /** Ends the process. */
  async stop(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill();
    await exited;
  }
}
