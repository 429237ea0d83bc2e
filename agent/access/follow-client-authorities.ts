import { readBundle } from '../../platform/certificates/certificate-objects.ts';
import type { ClientAuthoritySource } from '../../platform/certificates/serve-tls.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { followFiles } from '../../platform/process/follow-files.ts';
import type { Logger } from '../../platform/process/logger.ts';
import { StartError } from '../../platform/process/start-error.ts';

/** Authorities of client certificates that follow a file. */
export interface FollowedClientAuthorities extends ClientAuthoritySource {
  /** Ends following; what was read last stays. */
  close(): void;
}

/** Where the authorities are. */
export interface ClientAuthoritiesOptions {
  /** PEM; `undefined`: no client certificate is asked for. */
  readonly file: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How often the file is looked at; absent: every ten seconds. */
  readonly everyMillis?: number;
}

/** Reads the authorities of client certificates, and again when their file changes. Throws a StartError when it holds none. */
export async function followClientAuthorities(options: ClientAuthoritiesOptions): Promise<FollowedClientAuthorities> {
  const { file, clock, logger, everyMillis } = options;
  if (file === undefined) return { current: () => undefined, subscribe: () => () => undefined, close: () => undefined };
  let text: string | undefined;
  const listeners = new Set<() => void>();
  const take = ([next = '']: readonly string[]): void => {
    if (readBundle(next).length === 0) throw new StartError(`${file} holds no certificate that can be read`);
    text = next;
    for (const listener of listeners) listener();
  };
  const close = await followFiles({
    ...{ files: [file], clock, onTexts: take },
    ...(everyMillis === undefined ? {} : { everyMillis }),
    onFailure: (error) => logger.error({ file, err: error }, 'authorities of clients cannot be read, the last stay'),
  });
  return {
    current: () => text,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close,
  };
}
