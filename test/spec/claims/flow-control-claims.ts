import type { Claim } from './claim.ts';

/** Of rows about fields of flow schemas and priority levels. */
export const flowControlClaims: readonly Claim[] = [
  { rows: /^Resources and their fields\/FlowSchema#1$/, part: 'a heading' },
  { rows: /^Resources and their fields\/FlowSchema#13$/, part: 'a heading' },
  { rows: /^Resources and their fields\/FlowSchema#17$/, part: 'a heading' },
  { rows: /^Resources and their fields\/FlowSchema#2$/, tests: /flow-classifier\.test.*distinguishFlow/ },
  { rows: /^Resources and their fields\/FlowSchema#3$/, tests: /flow-classifier\.test.*distinguishFlow/ },
  { rows: /^Resources and their fields\/FlowSchema#4$/, tests: /plan-flow-configuration\.test.*by precedence/ },
  {
    rows: /^Resources and their fields\/FlowSchema#5$/,
    tests: /plan-flow-configuration\.test.*(planDanglingCondition|schemas without their level)/,
  },
  { rows: /^Resources and their fields\/FlowSchema#6$/, tests: /flow-classifier\.test.*FlowClassifier/ },
  { rows: /^Resources and their fields\/FlowSchema#7$/, tests: /flow-classifier\.test.*rules for resources/ },
  { rows: /^Resources and their fields\/FlowSchema#8$/, tests: /flow-classifier\.test.*subjects/ },
  { rows: /^Resources and their fields\/FlowSchema#9$/, tests: /\[FlowSchema\.spec\.rules\.subjects\.kind/ },
  { rows: /^Resources and their fields\/FlowSchema#10$/, tests: /flow-classifier\.test.*subjects.*"name":"\*"/ },
  {
    rows: /^Resources and their fields\/FlowSchema#11$/,
    tests: /\[FlowSchema\.spec\.rules\.subjects\.serviceAccount\.namespace/,
  },
  { rows: /^Resources and their fields\/FlowSchema#12$/, tests: /flow-classifier\.test.*subjects.*"name":"\*"/ },
  { rows: /^Resources and their fields\/FlowSchema#14$/, tests: /flow-classifier\.test.*rules for other URLs/ },
  { rows: /^Resources and their fields\/FlowSchema#15$/, tests: /flow-classifier\.test.*rules for other URLs/ },
  { rows: /^Resources and their fields\/FlowSchema#16$/, tests: /flow-classifier\.test.*rules for other URLs/ },
  { rows: /^Resources and their fields\/FlowSchema#23$/, tests: /flow-classifier\.test.*rules for resources/ },
  { rows: /^Resources and their fields\/FlowSchema#18$/, tests: /flow-classifier\.test.*rules for resources/ },
  { rows: /^Resources and their fields\/FlowSchema#19$/, tests: /flow-classifier\.test.*rules for resources/ },
  { rows: /^Resources and their fields\/FlowSchema#20$/, tests: /flow-classifier\.test.*rules for resources/ },
  { rows: /^Resources and their fields\/FlowSchema#21$/, tests: /flow-classifier\.test.*rules for resources/ },
  { rows: /^Resources and their fields\/FlowSchema#22$/, tests: /flow-classifier\.test.*rules for resources/ },
  { rows: /^Resources and their fields\/FlowSchema#24$/, tests: /\[FlowSchema\.status\.conditions/ },
  { rows: /^Resources and their fields\/PriorityLevelConfiguration#1$/, part: 'a heading' },
  { rows: /^Resources and their fields\/PriorityLevelConfiguration#15$/, part: 'a heading' },
  { rows: /^Resources and their fields\/PriorityLevelConfiguration#2$/, tests: /dispatcher\.test.*the exempt level/ },
  {
    rows: /^Resources and their fields\/PriorityLevelConfiguration#3$/,
    tests: /\[PriorityLevelConfiguration\.spec\.exempt/,
  },
  {
    rows: /^Resources and their fields\/PriorityLevelConfiguration#4$/,
    tests: /plan-seats\.test.*down to what they do not lend/,
  },
  {
    rows: /^Resources and their fields\/PriorityLevelConfiguration#5$/,
    tests: /plan-seats\.test.*gives exempt levels what they want/,
  },
  {
    rows: /^Resources and their fields\/PriorityLevelConfiguration#6$/,
    tests: /\[PriorityLevelConfiguration\.spec\.limited\.(required|exempt)/,
  },
  { rows: /^Resources and their fields\/PriorityLevelConfiguration#7$/, tests: /plan-seats\.test.*divides by shares/ },
  {
    rows: /^Resources and their fields\/PriorityLevelConfiguration#8$/,
    tests: /plan-seats\.test.*lends what one does not want/,
  },
  {
    rows: /^Resources and their fields\/PriorityLevelConfiguration#9$/,
    tests: /plan-seats\.test.*keeps borrowing within its bound/,
  },
  {
    rows: /^Resources and their fields\/PriorityLevelConfiguration#10$/,
    tests: /dispatcher\.test.*(a level with queues|a level without queues)/,
  },
  {
    rows: /^Resources and their fields\/PriorityLevelConfiguration#11$/,
    tests: /\[PriorityLevelConfiguration\.spec\.limited\.limitResponse\.queuing/,
  },
  { rows: /^Resources and their fields\/PriorityLevelConfiguration#12$/, tests: /deal-hand\.test/ },
  {
    rows: /^Resources and their fields\/PriorityLevelConfiguration#13$/,
    tests: /dispatcher\.test.*refuses what finds its queues full/,
  },
  {
    rows: /^Resources and their fields\/PriorityLevelConfiguration#14$/,
    tests: /dispatcher\.test.*when it has one queue/,
  },
  { rows: /^Resources and their fields\/PriorityLevelConfiguration#16$/, tests: /plan-seats\.test.*divides by shares/ },
  { rows: /^Resources and their fields\/PriorityLevelConfiguration#17$/, tests: /recorded-configurations\.test/ },
  { rows: /^Resources and their fields\/PriorityLevelConfiguration#18$/, tests: /recorded-configurations\.test/ },
  { rows: /^Resources and their fields\/PriorityLevelConfiguration#19$/, tests: /plan-seats\.test.*divides by shares/ },
  {
    rows: /^Resources and their fields\/PriorityLevelConfiguration#20$/,
    tests: /\[PriorityLevelConfiguration\.status\.conditions/,
  },
];
