import type { CollectionIndex } from '../../../platform/resources/collection-index.ts';
import {
  workloadResources,
  type ScaledWorkload,
  type ScaledWorkloadKind,
  type ScaleSource,
} from '../../../platform/scale/find-controller-scale.ts';
import { RememberedScales } from '../../../platform/scale/remembered-scales.ts';
import type { FindScaledResource } from '../../../platform/scale/scale-sources.ts';
import type { CountedWorkload } from './budget-dependencies.ts';
import { createIndex, type ControllerOptions } from '../controller-parts.ts';
import { isChanged, reduceWorkload } from './reduce-objects.ts';

/** What was asked for while something was counted. */
export interface ScaleReads {
  /** Keys of the workloads, those that are not there included. */
  readonly workloads: Set<string>;
  /** Whether a scale subresource was read, whose changes nobody tells. */
  hasScales: boolean;
  /** When to ask again for scales that may be overtaken, in milliseconds since the epoch; absent: none may. */
  againAtMillis?: number;
}

const kinds = Object.keys(workloadResources) as readonly ScaledWorkloadKind[];

function formatWorkloadKey(kind: ScaledWorkloadKind, namespace: string, name: string): string {
  return `${kind}/${namespace}/${name}`;
}

/** The built-in workloads of all namespaces, as far as their scale goes. */
export class FollowedWorkloads {
  readonly #options: ControllerOptions;
  readonly #findResource: FindScaledResource;
  readonly #scales: RememberedScales;
  readonly #indexes = new Map<ScaledWorkloadKind, CollectionIndex<ScaledWorkload>>();

  /** `onChange` is told of every workload whose scale or owner changes, of new ones and of those that go. */
  constructor(
    options: ControllerOptions,
    findResource: FindScaledResource,
    onChange: (workload: CountedWorkload) => void,
  ) {
    this.#options = options;
    this.#findResource = findResource;
    this.#scales = new RememberedScales(options.clock);
    for (const kind of kinds) {
      const index = createIndex<ScaledWorkload>(options, workloadResources[kind], undefined, reduceWorkload);
      index.subscribe(({ object, previous }) => {
        const { namespace = '', name = '' } = (object ?? previous)?.metadata ?? {};
        if (object !== undefined && previous !== undefined && !isChanged(object, previous)) return;
        onChange({ key: formatWorkloadKey(kind, namespace, name), namespace });
      });
      this.#indexes.set(kind, index);
    }
  }

  /** Resolves when the workloads that exist are known. */
  async start(): Promise<void> {
    await Promise.all([...this.#indexes.values()].map((index) => index.start()));
  }

  /** Resolves when nothing runs any more. */
  async close(): Promise<void> {
    await Promise.all([...this.#indexes.values()].map((index) => index.close()));
  }

  /** Notes that pods or budgets of a namespace have changed. */
  noteChange(namespace: string): void {
    this.#scales.noteChange(namespace);
  }

  /** A source of scales that notes in `reads` what it is asked for. */
  read(reads: ScaleReads): ScaleSource {
    return {
      client: this.#options.client,
      findResource: (group, version, kind) => {
        reads.hasScales = true;
        return this.#findResource(group, version, kind);
      },
      readWorkload: async (kind, namespace, name) => {
        reads.workloads.add(formatWorkloadKey(kind, namespace, name));
        return this.#indexes.get(kind)?.get(name, namespace);
      },
      remember: async (namespace, key, read) => {
        const { answer, againAtMillis } = await this.#scales.read(namespace, key, read);
        if (againAtMillis !== undefined) {
          reads.againAtMillis = Math.min(againAtMillis, reads.againAtMillis ?? Number.POSITIVE_INFINITY);
        }
        return answer;
      },
    };
  }

  /** A source of those scales that are known without a request. */
  readKnown(reads: ScaleReads): ScaleSource {
    return { ...this.read(reads), findResource: () => undefined };
  }
}
