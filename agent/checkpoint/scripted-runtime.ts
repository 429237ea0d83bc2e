import { writeFile } from 'node:fs/promises';

import type {
  CallOptions,
  CheckpointRequest,
  ContainerRuntime,
  RuntimeContainer,
  Sandbox,
} from '../cri/container-runtime.ts';
import { RuntimeFailure } from '../cri/runtime-failure.ts';
import { makeArchive } from './scripted-archive.ts';

/** One dump that a scripted runtime was asked for; the test says what becomes of it. */
export interface ScriptedDump extends CheckpointRequest {
  readonly signal: AbortSignal | undefined;
  /** Writes the archive, so far. */
  write(content: string | Buffer): Promise<void>;
  /** Writes an archive with this content of memory, whole but for the files that are named, and succeeds. */
  finish(content: string, lacking?: readonly string[]): void;
  succeed(): void;
  fail(error: Error): void;
}

function refuse(): Promise<never> {
  return Promise.reject(new RuntimeFailure('Unimplemented', 'not scripted'));
}

/** A container runtime in memory, for tests of moments that a real one cannot be brought to. */
export class ScriptedRuntime implements ContainerRuntime {
  readonly sandboxes: Sandbox[] = [];
  readonly containers: RuntimeContainer[] = [];
  /** Dumps that are under way or over, in the order they began. */
  readonly dumps: ScriptedDump[] = [];
  readonly resumed: string[] = [];
  /** Whether containers are found paused. */
  isPaused = true;
  /** What each container has in memory. */
  memoryBytes: number | undefined;
  /** How often a container was looked at. */
  looks = 0;
  /** What becomes of each dump as it begins; without one, the test decides later. */
  onDump: ((dump: ScriptedDump) => void) | undefined;
  /** Set where the runtime cannot be reached. */
  failure: RuntimeFailure | undefined;
  #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  /** Adds a pod of one sandbox with running containers. */
  addPod(namespace: string, name: string, containerNames: readonly string[], more: Partial<Sandbox> = {}): Sandbox {
    const id = `sandbox-${this.sandboxes.length}`;
    const sandbox: Sandbox = {
      ...{ id, name, namespace, uid: `uid-${id}`, attempt: 0, state: 'Ready', createdAtMillis: this.sandboxes.length },
      ...{ labels: {}, annotations: {}, runtimeHandler: '' },
      ...more,
    };
    this.sandboxes.push(sandbox);
    for (const containerName of containerNames) this.addContainer(sandbox, containerName);
    return sandbox;
  }

  addContainer(sandbox: Sandbox, name: string, more: Partial<RuntimeContainer> = {}): void {
    const number = this.containers.length;
    this.containers.push({
      ...{ id: `container-${number}`, sandboxId: sandbox.id, name, attempt: 0, image: 'app:1', imageRef: 'app' },
      ...{ state: 'Running', createdAtMillis: number, labels: {}, annotations: {} },
      ...more,
    });
  }

  /** Resolves when so many dumps have begun. */
  async waitForDumps(count: number): Promise<void> {
    if (this.dumps.length >= count) return;
    await new Promise<void>((resolve) => this.#waiting.push({ count, resolve }));
  }

  async listSandboxes(): Promise<readonly Sandbox[]> {
    if (this.failure !== undefined) throw this.failure;
    return [...this.sandboxes];
  }

  async listContainers(filter: { readonly sandboxId?: string } = {}): Promise<readonly RuntimeContainer[]> {
    if (this.failure !== undefined) throw this.failure;
    return this.containers.filter(({ sandboxId }) => filter.sandboxId === undefined || sandboxId === filter.sandboxId);
  }

  checkpointContainer(request: CheckpointRequest, { signal }: CallOptions = {}): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(new RuntimeFailure('Canceled', 'context canceled')));
      const dump: ScriptedDump = {
        ...request,
        signal,
        write: (content) => writeFile(request.location, content, { mode: 0o644 }),
        succeed: resolve,
        finish: (content, lacking) => {
          void dump.write(makeArchive(content, lacking)).then(resolve, reject);
        },
        fail: reject,
      };
      this.dumps.push(dump);
      this.onDump?.(dump);
      for (const { count, resolve: resume } of this.#waiting) if (this.dumps.length >= count) resume();
    });
  }

  async resumeContainer(id: string): Promise<boolean> {
    if (this.failure !== undefined) throw this.failure;
    this.looks += 1;
    if (this.isPaused) this.resumed.push(id);
    return this.isPaused;
  }

  async readMemoryBytes(): Promise<number | undefined> {
    if (this.failure !== undefined) throw this.failure;
    return this.memoryBytes;
  }

  readVersion = refuse;
  readStatus = refuse;
  readSandbox = refuse;
  readContainer = refuse;
  listImages = refuse;
  readImageFilesystems = refuse;

  close(): void {}
}
