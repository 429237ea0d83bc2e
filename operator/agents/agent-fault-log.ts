import type { Logger } from '../../platform/process/logger.ts';
import type { StatusError } from '../../core/errors/status.ts';

const MAX_NODES = 10_000;

/** Logs why agents cannot be asked, with everything that those who asked are not told: once for each node, until it answers or the reason is another. */
export class AgentFaultLog {
  readonly #logger: Pick<Logger, 'warn'>;
  /** What was last said of a node; the oldest go first. */
  readonly #said = new Map<string, string>();

  constructor(logger: Pick<Logger, 'warn'>) {
    this.#logger = logger;
  }

  /** Notes that the agent of a node could not be asked; `fault` is what those who asked were told, with what led to it as its cause. */
  note(nodeName: string, fault: StatusError): void {
    const cause = findRoot(fault);
    const reason = `${fault.message}: ${cause}`;
    if (this.#said.get(nodeName) === reason) return;
    this.#said.delete(nodeName);
    this.#said.set(nodeName, reason);
    const oldest = this.#said.size > MAX_NODES ? this.#said.keys().next().value : undefined;
    if (oldest !== undefined) this.#said.delete(oldest);
    this.#logger.warn({ node: nodeName, cause, err: fault }, 'an agent cannot be asked');
  }

  /** Notes that the agent of a node answered. */
  forget(nodeName: string): void {
    this.#said.delete(nodeName);
  }
}

/** Code and message of the error that all of it comes from. */
function findRoot(error: Error): string {
  let root = error;
  while (root.cause instanceof Error) root = root.cause;
  const code = 'code' in root && typeof root.code === 'string' ? `${root.code}: ` : '';
  return `${code}${root.message}`;
}
