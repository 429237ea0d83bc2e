import type { Clock } from '../../../platform/process/clock.ts';
import type { Logger } from '../../../platform/process/logger.ts';
import { ObjectWatch } from '../../../platform/resources/object-watch.ts';
import type { ResourceClient } from '../../../platform/resources/resource-client.ts';
import type { ClientAuthoritySource } from '../../../platform/certificates/serve-tls.ts';
import {
  frontProxyConfigMap,
  readFrontProxySettings,
  type ConfigMapObject,
  type FrontProxySettings,
} from './front-proxy-settings.ts';

export interface FollowedFrontProxyOptions {
  readonly client: ResourceClient;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Whom a host lets speak for others, as it is published at the moment; nobody while that is unknown or cannot be read. */
export class FollowedFrontProxy {
  readonly #logger: Logger;
  readonly #watch: ObjectWatch<ConfigMapObject>;
  readonly #listeners = new Set<() => void>();
  #settings: FrontProxySettings | undefined;

  constructor({ client, clock, logger }: FollowedFrontProxyOptions) {
    this.#logger = logger;
    this.#watch = new ObjectWatch({
      ...{ client, clock, reference: frontProxyConfigMap },
      onFailure: (error) => logger.warn({ err: error }, 'following the front proxy failed, trying again'),
    });
    this.#watch.subscribe((configMap) => this.#take(configMap));
  }

  /** Whom to believe; `undefined`: nobody. */
  get settings(): FrontProxySettings | undefined {
    return this.#settings;
  }

  /** The authorities of the proxies alone; an empty text while there are none, which trusts nobody. */
  readonly authorities: ClientAuthoritySource = {
    current: () => this.#settings?.authorities ?? '',
    subscribe: (listener) => {
      this.#listeners.add(listener);
      return () => this.#listeners.delete(listener);
    },
  };

  /** Begins to follow; resolves when it is known whether the host has a front proxy. */
  start(): Promise<void> {
    return this.#watch.start();
  }

  close(): Promise<void> {
    return this.#watch.close();
  }

  #take(configMap: ConfigMapObject | undefined): void {
    const previous = this.#settings?.authorities;
    try {
      this.#settings = readFrontProxySettings(configMap);
    } catch (error) {
      this.#settings = undefined;
      this.#logger.error({ err: error }, 'the settings of the front proxy cannot be read, nobody is believed');
    }
    if (previous !== this.#settings?.authorities) for (const listener of this.#listeners) listener();
  }
}
