import type { UserInfo } from '../../../core/meta/user-info.ts';
import type { MonotonicClock } from '../../../platform/process/monotonic-clock.ts';
import type { Authorizer } from '../authz/authorizer.ts';
import { mayReadFlowObjects } from './may-read-flow-objects.ts';

const PATIENCE_MILLIS = 100;
/** Whoever decides may have as much to do as we when we refuse. */
const MAX_OPEN_QUESTIONS = 32;

/** Says who is told names by a refusal. */
export class NameAudience {
  readonly #authorizer: Authorizer;
  readonly #domain: string;
  readonly #clock: MonotonicClock;
  /** By user, whose refusals share one answer while it is awaited. */
  readonly #open = new Map<string, Promise<boolean>>();

  constructor(options: { readonly authorizer: Authorizer; readonly domain: string; readonly clock: MonotonicClock }) {
    this.#authorizer = options.authorizer;
    this.#domain = options.domain;
    this.#clock = options.clock;
  }

  /** Resolves to true when the user may list the objects, and to false when not or when that is not told within 100 ms. Never rejects. */
  includes(user: UserInfo): Promise<boolean> {
    const key = JSON.stringify(user);
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    if (this.#open.size >= MAX_OPEN_QUESTIONS) return Promise.resolve(false);
    const decided = this.#decide(user).finally(() => this.#open.delete(key));
    const answer = new Promise<boolean>((resolve) => {
      const cancel = this.#clock.schedule(PATIENCE_MILLIS, () => resolve(false));
      void decided.then((isAllowed) => {
        cancel();
        resolve(isAllowed);
      });
    });
    this.#open.set(key, answer);
    return answer;
  }

  async #decide(user: UserInfo): Promise<boolean> {
    try {
      return await mayReadFlowObjects(this.#authorizer, this.#domain, user);
    } catch {
      return false;
    }
  }
}
