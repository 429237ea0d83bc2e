import { completeResource, declareShape, type DeclaredType } from '../../../core/cel/types/declared-shape.ts';
import { shapeOfSchema } from '../../../core/cel/types/shape-of-schema.ts';
import type { StructuralSchema } from '../../../core/schema/structural-schema.ts';
import type { KindName } from '../../../kinds/admissionregistration/policy/policy-request.ts';
import type { KindRegistry } from '../../../kinds/registry.ts';
import { formatGroupVersion, type GroupVersion, type SchemaSnapshot, type SchemaSource } from './schema-source.ts';

/** The schemas of the kinds that the API service itself holds; each is declared when it is first asked for. */
export class RegistrySchemas implements SchemaSource {
  readonly #registry: KindRegistry;
  readonly #types = new WeakMap<StructuralSchema, Map<string, DeclaredType | undefined>>();

  constructor(registry: KindRegistry) {
    this.#registry = registry;
  }

  async read(groups: readonly GroupVersion[]): Promise<SchemaSnapshot> {
    return {
      fingerprint: this.#describeDefined(groups),
      findKind: ({ group, version, resource }) => {
        const kind = this.#registry.find(group, version, resource)?.kind;
        return kind === undefined ? undefined : { group, version, kind };
      },
      findType: (kind, name) => this.#findType(kind, name),
    };
  }

  /** Only kinds that users define come and change. */
  subscribe(listener: () => void): () => void {
    return this.#registry.subscribe(listener);
  }

  #describeDefined(groups: readonly GroupVersion[]): string {
    return this.#registry.kinds
      .flatMap(({ definedBy, kind, ...names }) => {
        if (definedBy === undefined || !groups.includes(formatGroupVersion(names))) return [];
        const { uid = '', generation = 0 } = definedBy.metadata;
        return [`${formatGroupVersion(names)}/${kind} ${uid} ${generation}`];
      })
      .toSorted()
      .join('\n');
  }

  #findType({ group, version, kind }: KindName, name: string): DeclaredType | undefined {
    const schema = this.#registry.findByKind(group, version, kind)?.schema;
    if (schema === undefined) return undefined;
    let types = this.#types.get(schema);
    if (types === undefined) this.#types.set(schema, (types = new Map()));
    const key = `${group}/${version}/${kind}/${name}`;
    if (!types.has(key)) {
      const shape = shapeOfSchema(schema);
      types.set(key, shape && declareShape(completeResource(shape), name));
    }
    return types.get(key);
  }
}
