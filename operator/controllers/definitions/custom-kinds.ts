import { deepEqual } from '../../../core/meta/deep.ts';
import { isConditionTrue } from '../../../kinds/apiextensions/custom-resource-definition/conditions.ts';
import type { CustomResourceDefinition } from '../../../kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts';
import type { KindDefinition } from '../../../kinds/kind-definition.ts';
import type { DefinableKindRegistry } from '../../../kinds/registry.ts';

/** The kinds of one definition, as it was when they were made. */
interface MadeKinds {
  readonly definition: CustomResourceDefinition;
  /** One for each version, those that are not served included. */
  readonly kinds: readonly KindDefinition[];
}

/** Where the kinds go that are made, and who is told of a definition that none can be made of. */
export interface CustomKindsOptions {
  /** Makes the kinds of a definition; throws for one that none can be made of. */
  readonly define: (definition: CustomResourceDefinition) => readonly KindDefinition[];
  /** Serves them beside the kinds of the program. */
  readonly registry: DefinableKindRegistry;
  /** Knows every kind whose objects may be stored, as the version they are stored as. */
  readonly stored: DefinableKindRegistry;
  readonly onFailure: (definition: CustomResourceDefinition, error: unknown) => void;
}

function isServed(definition: CustomResourceDefinition): boolean {
  return isConditionTrue(definition, 'NamesAccepted') || isConditionTrue(definition, 'Established');
}

/** Whether kinds of one definition can serve the other: whatever else changes, it means nothing for its objects. */
function areShapedAlike(left: CustomResourceDefinition, right: CustomResourceDefinition): boolean {
  return (
    left.metadata.uid === right.metadata.uid &&
    left.metadata.generation === right.metadata.generation &&
    deepEqual(left.status?.acceptedNames, right.status?.acceptedNames)
  );
}

/** Keeps the registries in step with the definitions there are. */
export class CustomKinds {
  readonly #options: CustomKindsOptions;
  readonly #made = new Map<string, MadeKinds>();
  /** Group and plural, and group, version and kind, of the kinds of the program. */
  readonly #ownResources = new Set<string>();
  readonly #ownKinds = new Set<string>();

  constructor(options: CustomKindsOptions) {
    this.#options = options;
    for (const { definedBy, group, aliasGroup, version, plural, kind } of options.registry.kinds) {
      if (definedBy !== undefined) continue;
      for (const own of aliasGroup === undefined ? [group] : [group, aliasGroup]) {
        this.#ownResources.add(`${own}/${plural}`);
        this.#ownKinds.add(`${own}/${version}/${kind}`);
      }
    }
  }

  /** Whether a kind of the program has the definition's objects: the definition then changes nothing, and owns nothing. */
  isOverlapping({ spec }: CustomResourceDefinition): boolean {
    return this.#ownResources.has(`${spec.group}/${spec.names.plural}`);
  }

  /** Serves what these definitions define, and nothing else any more. What did not change stays the same registered kind. */
  replace(definitions: readonly CustomResourceDefinition[]): void {
    const seen = new Set<string>();
    let isChanged = false;
    for (const definition of definitions) {
      if (!isServed(definition) || this.isOverlapping(definition)) continue;
      const name = definition.metadata.name ?? '';
      seen.add(name);
      isChanged = this.#renew(name, definition) || isChanged;
    }
    for (const name of [...this.#made.keys()]) {
      if (!seen.has(name)) isChanged = this.#made.delete(name) || isChanged;
    }
    if (isChanged) this.#publish();
  }

  /** Whether the kinds of a definition are others than before. */
  #renew(name: string, definition: CustomResourceDefinition): boolean {
    const made = this.#made.get(name);
    if (made !== undefined && areShapedAlike(made.definition, definition)) {
      if (isConditionTrue(made.definition, 'Terminating') === isConditionTrue(definition, 'Terminating')) return false;
      // The functions stay the same ones: watches go on, and what was found out about stored objects holds.
      const kinds = made.kinds.map((kind) => ({ ...kind, definedBy: definition }));
      this.#made.set(name, { definition, kinds });
      return true;
    }
    try {
      this.#made.set(name, { definition, kinds: this.#options.define(definition) });
    } catch (error) {
      this.#options.onFailure(definition, error);
      this.#made.set(name, { definition, kinds: [] });
    }
    return true;
  }

  #publish(): void {
    const all = omitTaken([...this.#made.values()].flatMap(({ kinds }) => kinds));
    const { registry, stored } = this.#options;
    stored.replaceCustomKinds(all.filter(({ version, storedVersion = version }) => version === storedVersion));
    registry.replaceCustomKinds(all.filter((kind) => isVersionServed(kind) && !this.#isOwn(kind)));
  }

  /** Whether the program has a kind of the name: it goes on being served, while what is stored of the other can still be deleted. */
  #isOwn({ groupTemplate, version, kind }: KindDefinition): boolean {
    return this.#ownKinds.has(`${groupTemplate}/${version}/${kind}`);
  }
}

/** While names go from one definition to another, both may have them for a moment: the first one keeps them. */
function omitTaken(kinds: readonly KindDefinition[]): readonly KindDefinition[] {
  const taken = new Set<string>();
  return kinds.filter(({ groupTemplate, version, kind }) => {
    const name = `${groupTemplate}/${version}/${kind}`;
    const isFree = !taken.has(name);
    taken.add(name);
    return isFree;
  });
}

function isVersionServed({ version, definedBy }: KindDefinition): boolean {
  return definedBy?.spec.versions.some(({ name, served }) => name === version && served) === true;
}
