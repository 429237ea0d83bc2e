import { deepEqual } from '../../../core/meta/deep.ts';
import type {
  CustomResourceDefinition,
  DefinedColumn,
  DefinedSubresources,
  DefinedVersion,
  JsonSchemaProps,
} from './custom-resource-definition.ts';

/** What a version of a definition may have by itself, or the definition for all of its versions. */
export interface VersionParts {
  readonly schema?: { readonly openAPIV3Schema?: JsonSchemaProps };
  readonly subresources?: DefinedSubresources;
  readonly additionalPrinterColumns?: readonly DefinedColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

/**
 * A definition's spec as it is validated: what is the same in every version is in `shared`, and in no version. The paths of faults are
 * paths in it.
 */
export interface InternalSpec {
  readonly shared: VersionParts;
  readonly versions: readonly DefinedVersion[];
}

const parts = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;

/** The spec with what all versions have in common taken out of them. */
export function toInternalSpec({ versions }: CustomResourceDefinition['spec']): InternalSpec {
  const [first] = versions;
  if (first === undefined) return { shared: {}, versions };
  const isShared = (part: keyof VersionParts): boolean =>
    versions.every((version) => deepEqual(version[part], first[part]));
  const sharedParts = parts.filter(isShared);
  const shared = Object.fromEntries(sharedParts.map((part) => [part, first[part]]));
  const own = versions.map(
    (version) =>
      Object.fromEntries(
        Object.entries(version).filter(([key]) => !(sharedParts as string[]).includes(key)),
      ) as unknown as DefinedVersion,
  );
  return { shared, versions: own };
}
