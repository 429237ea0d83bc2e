import { completeResource, declareShape, type DeclaredType } from '../../../core/cel/types/declared-shape.ts';
import { shapeOfSchema } from '../../../core/cel/types/shape-of-schema.ts';
import type { KindName } from '../../../kinds/admissionregistration/policy/policy-request.ts';
import type { KindRegistry } from '../../../kinds/registry.ts';
import type { SchemaSnapshot, SchemaSource } from './schema-source.ts';

/** The schemas of the kinds that the API service itself holds; each is declared when it is first asked for. */
export class RegistrySchemas implements SchemaSource {
  readonly #registry: KindRegistry;
  readonly #types = new Map<string, DeclaredType | undefined>();

  constructor(registry: KindRegistry) {
    this.#registry = registry;
  }

  async read(): Promise<SchemaSnapshot> {
    return {
      fingerprint: '',
      findKind: ({ group, version, resource }) => {
        const kind = this.#registry.find(group, version, resource)?.kind;
        return kind === undefined ? undefined : { group, version, kind };
      },
      findType: (kind, name) => this.#findType(kind, name),
    };
  }

  #findType({ group, version, kind }: KindName, name: string): DeclaredType | undefined {
    const key = `${group}/${version}/${kind}/${name}`;
    if (!this.#types.has(key)) {
      const schema = this.#registry.findByKind(group, version, kind)?.schema;
      const shape = schema && shapeOfSchema(schema);
      this.#types.set(key, shape && declareShape(completeResource(shape), name));
    }
    return this.#types.get(key);
  }
}
