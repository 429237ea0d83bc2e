/** One step of a path; a path is a list of steps, each applied to all that the step before found. */
export type JsonPathStep =
  | { readonly step: 'field'; readonly name: string }
  /** Items from `from` (negative: from the end) to before `to`, every `stride`th; `derived`: `to` follows from a single index. */
  | {
      readonly step: 'slice';
      readonly from: number | undefined;
      readonly to: number | undefined;
      readonly derived: boolean;
      readonly stride: number | undefined;
    }
  | { readonly step: 'wildcard' }
  | { readonly step: 'descent' }
  | { readonly step: 'union'; readonly paths: readonly (readonly JsonPathStep[])[] }
  | {
      readonly step: 'filter';
      readonly left: readonly JsonPathStep[];
      readonly operator: string;
      readonly right: readonly JsonPathStep[];
    }
  | { readonly step: 'literal'; readonly value: string | number | boolean; readonly isPerInput: boolean }
  /** A word that is neither a field nor a literal; evaluating it fails. */
  | { readonly step: 'identifier'; readonly name: string };

/** A path as kubectl's JSONPath has it, without the braces around it. */
export interface JsonPath {
  readonly steps: readonly JsonPathStep[];
}
