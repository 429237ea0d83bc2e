import type { IncomingMessage } from 'node:http';

import { waitUntil } from '../cluster/wait-until.ts';
import type { Answer, DifferentialCase, DifferentialStep } from './differential-case.ts';
import { fillStep, type StepContext } from './fill-step.ts';
import { LineReader } from './line-reader.ts';
import { parseBody } from './parse-body.ts';
import type { Target } from './target.ts';

const streamMillis = 60_000;
const untilMillis = 120_000;

/** One case at one target: its answers so far and the streams that are open. */
class Player {
  readonly answers: Answer[] = [];
  readonly #target: Target;
  readonly #context: StepContext;
  readonly #streams = new Map<string, { head: IncomingMessage; lines: LineReader }>();

  constructor(target: Target, caseName: string) {
    this.#target = target;
    this.#context = { caseName, namespace: `d-${caseName}`, answers: this.answers };
  }

  async play(step: DifferentialStep): Promise<void> {
    if (step.read !== undefined) {
      const { from, events } = step.read;
      const stream = this.#streams.get(from);
      if (stream === undefined) throw new Error(`${this.#context.caseName}: no stream ${from} is open`);
      const body = await stream.lines.take(events, streamMillis);
      this.answers.push({ status: 200, headers: {}, body, atMillis: Date.now() });
      return;
    }
    const { until } = step;
    if (until === undefined) {
      this.answers.push(await this.#send(step));
      return;
    }
    let answer: Answer | undefined;
    await waitUntil(
      `${step.method} ${step.path} of ${this.#context.caseName} at ${this.#target.name}`,
      async () => {
        answer = await this.#send(step);
        return until(answer.body);
      },
      untilMillis,
    ).catch(() => undefined);
    this.answers.push(answer as Answer);
  }

  /** Closes what is still open. */
  close(): void {
    for (const { head } of this.#streams.values()) head.destroy();
    this.#streams.clear();
  }

  async #send(step: DifferentialStep): Promise<Answer> {
    const head = await this.#target.open({
      method: step.method,
      ...fillStep(step, this.#context),
      anonymous: step.anonymous === true,
    });
    const { statusCode: status = 0, headers } = head;
    if (status === 200 && (step.stream !== undefined || step.open !== undefined)) {
      const lines = new LineReader(head);
      if (step.open !== undefined) this.#streams.set(step.open, { head, lines });
      if (step.stream === undefined) return { status, headers, body: undefined, atMillis: Date.now() };
      const body = await lines.take(step.stream.events, streamMillis);
      head.destroy();
      return { status, headers, body, atMillis: Date.now() };
    }
    const chunks: Buffer[] = [];
    for await (const chunk of head) chunks.push(chunk as Buffer);
    const body = parseBody(Buffer.concat(chunks), String(headers['content-type']));
    return { status, headers, body, atMillis: Date.now() };
  }
}

/** Plays a case at a target, in a namespace of its own where a step names it; resolves to the answers, one a step. */
export async function playCase(target: Target, { name, steps }: DifferentialCase): Promise<Answer[]> {
  const player = new Player(target, name);
  if (JSON.stringify(steps, showFunction).includes('{{ns}}')) await makeNamespace(target, `d-${name}`);
  try {
    for (const step of steps) await player.play(step);
  } finally {
    player.close();
  }
  return player.answers;
}

function showFunction(_key: string, value: unknown): unknown {
  return typeof value === 'function' ? String(value) : value;
}

/** Creates a namespace and waits for what controllers put into every one. */
async function makeNamespace(target: Target, name: string): Promise<void> {
  const send = async (method: string, path: string, body?: string): Promise<number> => {
    const headers = { accept: 'application/json', 'content-type': 'application/json' };
    const head = await target.open({ method, path, headers, anonymous: false, ...(body ? { body } : {}) });
    head.resume();
    await new Promise((resolve) => head.on('end', resolve));
    return head.statusCode ?? 0;
  };
  const status = await send('POST', '/api/v1/namespaces', JSON.stringify({ metadata: { name } }));
  if (status !== 201) throw new Error(`${target.name} answered ${status} to the namespace ${name}`);
  for (const path of ['serviceaccounts/default', 'configmaps/kube-root-ca.crt']) {
    await waitUntil(
      `${path} of ${name} at ${target.name}`,
      async () => (await send('GET', `/api/v1/namespaces/${name}/${path}`)) === 200,
      untilMillis,
    );
  }
}
