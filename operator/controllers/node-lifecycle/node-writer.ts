import { hasReason } from '../../../core/errors/status.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import type { NodeObject, Taint } from '../../../kinds/core/node/node-object.ts';
import { sleep } from '../../../platform/process/clock.ts';
import { getIfPresent } from '../../../platform/resources/get-if-present.ts';
import type { ControllerOptions } from '../controller-parts.ts';
import { type FollowedNodes, nodeResource } from './followed-nodes.ts';

const maxTries = 5;
const retryMillis = 20;

/** What a patch says of a node's taints. */
export function writeTaints(taints: Taint[]): JsonObject {
  // An empty list is no list.
  return { taints: taints.length === 0 ? null : taints };
}

/** Whether a version of an object is later than another: versions are numbers that grow. */
function isLater({ metadata }: NodeObject, { metadata: other }: NodeObject): boolean {
  const [left = '', right = ''] = [metadata.resourceVersion, other.resourceVersion];
  return left.length === right.length ? left > right : left.length > right.length;
}

/** Changes nodes, one write of each at a time, always from a state that nobody else has changed meanwhile. */
export class NodeWriter {
  readonly #options: Pick<ControllerOptions, 'client' | 'clock'>;
  readonly #ends = new Map<string, Promise<unknown>>();
  /** What was written last, until those who follow the nodes have seen it. */
  readonly #written = new Map<string, NodeObject>();

  constructor(options: Pick<ControllerOptions, 'client' | 'clock'>, followed: FollowedNodes) {
    this.#options = options;
    followed.nodes.subscribe(({ key, object }) => {
      const written = this.#written.get(key);
      if (written !== undefined && (object === undefined || !isLater(written, object))) this.#written.delete(key);
    });
  }

  /**
   * Changes a node by what `decide` says of it, a merge patch without the version, or says of its newest state when it was changed meanwhile.
   * Returns the node as it is then; `undefined` when it is gone, or another one has its name.
   */
  async change(
    node: NodeObject,
    decide: (node: NodeObject) => JsonObject | undefined,
    subresource?: string,
  ): Promise<NodeObject | undefined> {
    const { name = '' } = node.metadata;
    const before = this.#ends.get(name) ?? Promise.resolve();
    const own = before.then(() => this.#change(node, decide, subresource));
    const end = own.catch(() => undefined);
    this.#ends.set(name, end);
    try {
      return await own;
    } finally {
      if (this.#ends.get(name) === end) this.#ends.delete(name);
    }
  }

  async #change(
    node: NodeObject,
    decide: (node: NodeObject) => JsonObject | undefined,
    subresource: string | undefined,
  ): Promise<NodeObject | undefined> {
    const { client, clock } = this.#options;
    const { name = '', uid } = node.metadata;
    const reference = { resource: nodeResource, name };
    const written = this.#written.get(name);
    // An answer may come after those who follow the nodes have seen what it tells.
    const isBehind = written !== undefined && written.metadata.uid === uid && isLater(written, node);
    let current = isBehind ? written : node;
    for (let tries = 1; ; tries += 1) {
      const change = decide(current);
      if (change === undefined) return current;
      const { resourceVersion = '' } = current.metadata;
      const metadata = { ...(change['metadata'] as JsonObject | undefined), resourceVersion };
      try {
        const patch = { ...change, metadata };
        const answer = await client.patch<NodeObject>(
          reference,
          'application/merge-patch+json',
          patch,
          {},
          subresource,
        );
        this.#written.set(name, answer);
        return answer;
      } catch (error) {
        this.#written.delete(name);
        if (hasReason(error, 'NotFound')) return undefined;
        if (!hasReason(error, 'Conflict') || tries === maxTries) throw error;
      }
      if (tries > 1) await sleep(clock, tries * retryMillis);
      const newest = await getIfPresent<NodeObject>(client, reference);
      if (newest === undefined || newest.metadata.uid !== uid) return undefined;
      current = newest;
    }
  }
}
