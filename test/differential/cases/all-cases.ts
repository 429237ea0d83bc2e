import type { DifferentialCase } from '../differential-case.ts';
import { apiCases } from './api-cases.ts';
import { customResourceCases } from './custom-resources.ts';
import { customNullCases } from './custom-nulls.ts';
import { customValueCases } from './custom-values.ts';
import { definitionChangeCases } from './definition-changes.ts';
import { definitionCases } from './definitions.ts';
import { enforcementCases } from './enforcement.ts';
import { flowObjectCases } from './flow-objects.ts';
import { evictionCases } from './evictions.ts';
import { impossibleBudgetCases } from './impossible-budgets.ts';
import { lifeCases } from './lives.ts';
import { nodeCases } from './nodes.ts';
import { oddApplyCases } from './odd-applies.ts';
import { formCases } from './odd-forms.ts';
import { ownerCases } from './odd-owners.ts';
import { oddPatchCases } from './odd-patches.ts';
import { queryCases } from './odd-queries.ts';
import { selectorCases } from './odd-selectors.ts';
import { ruleCases } from './rules.ts';

/** Every hand-chosen case. */
export const allCases: readonly DifferentialCase[] = [
  ...apiCases,
  ...ruleCases,
  ...lifeCases,
  ...enforcementCases,
  ...evictionCases,
  ...impossibleBudgetCases,
  ...flowObjectCases,
  ...nodeCases,
  ...definitionCases,
  ...definitionChangeCases,
  ...customResourceCases,
  ...customValueCases,
  ...customNullCases,
  ...formCases,
  ...queryCases,
  ...selectorCases,
  ...oddPatchCases,
  ...oddApplyCases,
  ...ownerCases,
];
