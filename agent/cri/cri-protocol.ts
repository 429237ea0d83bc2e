import { fileURLToPath } from 'node:url';

import { load, type MethodDefinition } from '@grpc/proto-loader';

import { defineContainerdTasks } from './containerd-tasks.ts';

/** How one method of the protocol is called; messages are objects with fields in camelCase. */
export type CriMethod = Pick<MethodDefinition<object, object>, 'path' | 'requestSerialize' | 'responseDeserialize'>;

const serviceNames = {
  RuntimeService: 'runtime.v1.RuntimeService',
  ImageService: 'runtime.v1.ImageService',
  Tasks: 'containerd.services.tasks.v1.Tasks',
} as const;

/** The services of the protocol; `Tasks` is containerd's own. */
export type CriService = keyof typeof serviceNames;

/** The published definition of the Container Runtime Interface v1, loaded, and what containerd has besides. */
export class CriProtocol {
  readonly #methods: ReadonlyMap<string, CriMethod>;

  private constructor(methods: ReadonlyMap<string, CriMethod>) {
    this.#methods = methods;
  }

  /** Reads the definition; throws where its file is missing or broken. */
  static async load(): Promise<CriProtocol> {
    const file = fileURLToPath(new URL('protocol/api.proto', import.meta.url));
    // Absent fields come with their defaults. Times in nanoseconds lose less than one of ours.
    const definition = {
      ...(await load(file, { defaults: true, enums: String, longs: Number })),
      ...defineContainerdTasks(),
    };
    const methods = new Map<string, CriMethod>();
    for (const [service, name] of Object.entries(serviceNames)) {
      const found = definition[name] as Readonly<Record<string, MethodDefinition<object, object>>> | undefined;
      // The rest of a definition, descriptors of all messages, is of no use after this.
      for (const [method, { path, requestSerialize, responseDeserialize }] of Object.entries(found ?? {})) {
        methods.set(`${service}.${method}`, { path, requestSerialize, responseDeserialize });
      }
    }
    return new CriProtocol(methods);
  }

  /** A method by its name in the definition; throws where there is none. */
  findMethod(service: CriService, method: string): CriMethod {
    const found = this.#methods.get(`${service}.${method}`);
    if (found === undefined) throw new Error(`the protocol has no method ${service}.${method}`);
    return found;
  }
}
