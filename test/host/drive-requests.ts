import { Agent, request as sendRequest } from 'node:https';
import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';

/** Where the API server is and who asks. */
export interface Target {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
}

/** One request; `body` is JSON. */
export interface DrivenRequest {
  readonly path: string;
  readonly body: string;
}

/** Makes POST requests over kept connections. */
export class RequestDriver {
  readonly #target: Target;
  readonly #agent: Agent;

  constructor(target: Target, connections = 64) {
    this.#target = target;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections, ca: target.ca });
  }

  /** Resolves to the answer's text. Throws on anything but 201, with that text. */
  post({ path, body }: DrivenRequest): Promise<string> {
    const { url, token } = this.#target;
    return new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      };
      const call = sendRequest(new URL(path, url), { method: 'POST', agent: this.#agent, headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          if (answer.statusCode === 201) resolve(text);
          else reject(new Error(`${answer.statusCode}: ${text}`));
        });
      });
      call.on('error', reject);
      call.end(body);
    });
  }

  /**
   * Sends `count` requests at a fixed rate, whether earlier ones have been answered or not; resolves to their latencies in milliseconds,
   * each from the time it was due. Throws when one is not answered with 201, unless `onFailure` is there to be told.
   */
  async driveAtRate(
    perSecond: number,
    count: number,
    make: (index: number) => DrivenRequest,
    onFailure?: (error: unknown) => void,
  ): Promise<number[]> {
    const startMillis = performance.now();
    const running: Promise<number>[] = [];
    for (let index = 0; index < count; index += 1) {
      const dueMillis = startMillis + (index * 1000) / perSecond;
      const leftMillis = dueMillis - performance.now();
      if (leftMillis > 0) await wait(leftMillis);
      const answered = this.post(make(index))
        .catch((error: unknown) => {
          if (onFailure === undefined) throw error;
          onFailure(error);
        })
        .then(() => performance.now() - dueMillis);
      // A refusal is thrown at the end, where the caller can still tidy up.
      answered.catch(() => undefined);
      running.push(answered);
    }
    return Promise.all(running);
  }

  /** Sends requests back to back from `workers` at once for `seconds`; resolves to requests answered in a second. */
  async driveFlatOut(workers: number, seconds: number, make: (index: number) => DrivenRequest): Promise<number> {
    const startMillis = performance.now();
    const endMillis = startMillis + seconds * 1000;
    let sent = 0;
    let answered = 0;
    const work = async (): Promise<void> => {
      while (performance.now() < endMillis) {
        await this.post(make((sent += 1)));
        answered += 1;
      }
    };
    await Promise.all(Array.from({ length: workers }, work));
    return answered / ((performance.now() - startMillis) / 1000);
  }

  close(): void {
    this.#agent.destroy();
  }
}
