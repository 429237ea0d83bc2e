import { fileURLToPath } from 'node:url';

import { load, type MethodDefinition, type PackageDefinition } from '@grpc/proto-loader';

/** How one method of the protocol is called; undeclared messages are objects with fields in camelCase. */
export type CriMethod = MethodDefinition<object, object>;

/** The services of the protocol. */
export type CriService = 'RuntimeService' | 'ImageService';

/** The published definition of the Container Runtime Interface v1, loaded. */
export class CriProtocol {
  readonly #definition: PackageDefinition;

  private constructor(definition: PackageDefinition) {
    this.#definition = definition;
  }

  /** Reads the definition; throws where its file is missing or broken. */
  static async load(): Promise<CriProtocol> {
    const file = fileURLToPath(new URL('protocol/api.proto', import.meta.url));
    // Absent fields come with their defaults. Times in nanoseconds lose less than one of ours.
    return new CriProtocol(await load(file, { defaults: true, enums: String, longs: Number }));
  }

  /** A method by its name in the definition; throws where there is none. */
  findMethod(service: CriService, method: string): CriMethod {
    const methods = this.#definition[`runtime.v1.${service}`] as Readonly<Record<string, CriMethod>> | undefined;
    const found = methods?.[method];
    if (found === undefined) throw new Error(`the protocol has no method ${service}.${method}`);
    return found;
  }
}
