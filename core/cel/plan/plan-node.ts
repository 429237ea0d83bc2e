import type { CelValue } from '../values/cel-value.ts';
import type { Attribute } from './attribute.ts';
import type { Evaluate } from './frame.ts';

/** A planned part of an expression: a constant, which costs nothing; a name with selections, to which more may be added; or a computation. */
export type PlanNode =
  | { readonly kind: 'constant'; readonly value: CelValue; readonly attribute?: undefined }
  | { readonly kind: 'attribute'; readonly attribute: Attribute; readonly isTest: boolean }
  | { readonly kind: 'computed'; readonly evaluate: Evaluate; readonly attribute?: undefined };
