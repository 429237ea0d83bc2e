import { hostname } from 'node:os';
import { type Clock, sleep } from '../../platform/process/clock.ts';
import type { HostFiles } from '../status/host-files.ts';
import { planAddresses } from '../status/plan-addresses.ts';
import { readNetwork } from '../status/read-network.ts';

/** Where the agent is reached. */
export interface ServedAddressOptions {
  /** Where it listens: one address, or all of the machine. */
  readonly address: string;
  /** Addresses of the node, where these are the agent's own. */
  readonly nodeIps: readonly string[];
  readonly files: HostFiles;
  readonly clock: Clock;
}

const everyMillis = 60_000;
/** While there is none. */
const absentMillis = 5_000;
const wildcards: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** The addresses that the agent is reached at: the one it listens on or, when that is all of them, those that the machine has towards others. */
export class ServedAddresses {
  readonly #options: ServedAddressOptions;
  #current: readonly string[];
  readonly #ending = new AbortController();

  private constructor(options: ServedAddressOptions) {
    this.#options = options;
    this.#current = wildcards.has(options.address) ? [] : [options.address];
  }

  /** Finds them out, and again every minute where they may change. */
  static async open(options: ServedAddressOptions): Promise<ServedAddresses> {
    const addresses = new ServedAddresses(options);
    if (!wildcards.has(options.address)) return addresses;
    await addresses.#read();
    void addresses.#follow();
    return addresses;
  }

  /** None when the machine has no address towards others. */
  readonly current = (): readonly string[] => this.#current;

  close(): void {
    this.#ending.abort();
  }

  async #read(): Promise<void> {
    const { files, nodeIps } = this.#options;
    const network = await readNetwork(files, hostname());
    const found = planAddresses({ ...network, hostname: hostname(), nodeIps, mustBeOwn: false, previous: [] });
    if (!Array.isArray(found)) return;
    this.#current = found.filter(({ type }) => type === 'InternalIP').map(({ address }) => address);
  }

  async #follow(): Promise<void> {
    const { signal } = this.#ending;
    for (;;) {
      await sleep(this.#options.clock, this.#current.length === 0 ? absentMillis : everyMillis, signal);
      if (signal.aborted) return;
      await this.#read();
    }
  }
}
