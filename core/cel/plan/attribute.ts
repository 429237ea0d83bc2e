import type { CelValue } from '../values/cel-value.ts';
import type { Evaluate } from './frame.ts';

/** One selection: of a field or item that is known when planned, or whose key is evaluated. */
export interface Qualifier {
  readonly key: CelValue | undefined;
  /** Evaluates the key, when it is not known. */
  readonly evaluateKey?: Evaluate;
  /** The key is read from a name, or chosen from two that may be: false. Absent: it is computed. */
  readonly isRead?: boolean;
  /** Yields an optional, and nothing where there is no such field. */
  readonly isOptional: boolean;
  /** Only asks whether there is such a field. */
  readonly isTest: boolean;
  /** The name that an escaped field has besides; absent: no other. */
  readonly unescaped?: string;
}

/** What selections start from. */
export type AttributeBase =
  | { readonly kind: 'variable'; readonly name: string }
  /** A variable of a comprehension; `initial` evaluates it when it is read first. */
  | { readonly kind: 'local'; readonly place: number; readonly initial?: Evaluate }
  | { readonly kind: 'operand'; readonly evaluate: Evaluate };

/** A name or computed value with selections, or a choice between two such. */
export type Attribute =
  | { readonly base: AttributeBase; readonly qualifiers: readonly Qualifier[]; readonly choice?: undefined }
  | { readonly choice: { readonly condition: Evaluate; readonly truthy: Attribute; readonly falsy: Attribute } };

/** The attribute with one more selection; a choice has it on both sides. */
export function addQualifier(attribute: Attribute, qualifier: Qualifier): Attribute {
  if (attribute.choice === undefined) return { ...attribute, qualifiers: [...attribute.qualifiers, qualifier] };
  const { condition, truthy, falsy } = attribute.choice;
  return {
    choice: { condition, truthy: addQualifier(truthy, qualifier), falsy: addQualifier(falsy, qualifier) },
  };
}
