import type { JsonValue } from '../../../core/meta/json.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';

/** A rule of `x-kubernetes-validations`. */
export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** A schema as a definition carries it: Kubernetes' `JSONSchemaProps`. */
export interface JsonSchemaProps {
  readonly $ref?: string;
  readonly $schema?: string;
  readonly id?: string;
  readonly type?: string;
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly default?: JsonValue;
  readonly example?: JsonValue;
  readonly externalDocs?: { readonly description?: string; readonly url?: string };
  readonly nullable?: boolean;
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly multipleOf?: number;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly maxProperties?: number;
  readonly minProperties?: number;
  readonly required?: readonly string[];
  readonly enum?: readonly JsonValue[];
  /** A schema; a list of schemas is refused. */
  readonly items?: JsonSchemaProps | readonly JsonSchemaProps[];
  readonly additionalItems?: JsonSchemaProps | boolean;
  readonly allOf?: readonly JsonSchemaProps[];
  readonly anyOf?: readonly JsonSchemaProps[];
  readonly oneOf?: readonly JsonSchemaProps[];
  readonly not?: JsonSchemaProps;
  readonly properties?: Readonly<Record<string, JsonSchemaProps>>;
  readonly additionalProperties?: JsonSchemaProps | boolean;
  readonly patternProperties?: Readonly<Record<string, JsonSchemaProps>>;
  readonly dependencies?: Readonly<Record<string, JsonSchemaProps | readonly string[]>>;
  readonly definitions?: Readonly<Record<string, JsonSchemaProps>>;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
}

/** Names of a defined kind, as wanted (`spec.names`) or as accepted (`status.acceptedNames`). */
export interface DefinedNames {
  readonly plural: string;
  readonly singular?: string;
  readonly kind: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** Subresources of a version. */
export interface DefinedSubresources {
  readonly status?: Readonly<Record<string, never>>;
  readonly scale?: {
    readonly specReplicasPath: string;
    readonly statusReplicasPath: string;
    readonly labelSelectorPath?: string;
  };
}

/** A column of `kubectl get`, from a JSON path. */
export interface DefinedColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

/** A version of a defined kind. */
export interface DefinedVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: JsonSchemaProps };
  readonly subresources?: DefinedSubresources;
  readonly additionalPrinterColumns?: readonly DefinedColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

/** A condition of a definition's status. */
export interface DefinitionCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** How objects of a defined kind are turned from one version into another. */
export interface DefinedConversion {
  readonly strategy: string;
  readonly webhook?: {
    readonly clientConfig?: {
      readonly url?: string;
      readonly service?: {
        readonly namespace: string;
        readonly name: string;
        readonly path?: string;
        readonly port?: number;
      };
      readonly caBundle?: string;
    };
    readonly conversionReviewVersions: readonly string[];
  };
}

/** An `apiextensions.k8s.io/v1` CustomResourceDefinition. */
export interface CustomResourceDefinition extends KubeObject {
  spec: {
    readonly group: string;
    readonly names: DefinedNames;
    readonly scope: string;
    readonly versions: readonly DefinedVersion[];
    readonly conversion?: DefinedConversion;
    readonly preserveUnknownFields?: boolean;
  };
  status?: {
    conditions?: DefinitionCondition[];
    acceptedNames?: DefinedNames;
    storedVersions?: string[];
  };
}
