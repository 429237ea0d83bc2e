import type { Claim } from './claim.ts';

/** Of rows about fields of admission policies and their bindings. */
export const admissionPolicyClaims: readonly Claim[] = [
  { rows: /^Resources and their fields\/ValidatingAdmissionPolicy#11$/, part: 'a heading' },
  { rows: /^Resources and their fields\/ValidatingAdmissionPolicy#14$/, part: 'a heading' },
  { rows: /^Resources and their fields\/ValidatingAdmissionPolicy#24$/, part: 'a heading' },
  { rows: /^Resources and their fields\/ValidatingAdmissionPolicy#31$/, part: 'a heading' },
  { rows: /^Resources and their fields\/ValidatingAdmissionPolicy#36$/, part: 'a heading' },
  { rows: /^Resources and their fields\/ValidatingAdmissionPolicy#42$/, part: 'a heading' },
  { rows: /^Resources and their fields\/ValidatingAdmissionPolicy#48$/, part: 'a heading' },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#1$/,
    tests: /\[ValidatingAdmissionPolicy\.spec\.checks/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#2$/,
    tests: /\[ValidatingAdmissionPolicy\.spec\.failurePolicy|policies embedded.* (error-no-key-|condition-error-)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#3$/,
    tests: /\[ValidatingAdmissionPolicy\.spec\.matchConstraints|policies embedded.* (match-|never-policies)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#4$/,
    tests: /\[ValidatingAdmissionPolicy\.spec\.matchConditions|policies embedded.* (condition-)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#5$/,
    tests: /\[ValidatingAdmissionPolicy\.spec\.paramKind|policies embedded.* (param-no-)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#6$/,
    tests: /\[ValidatingAdmissionPolicy\.spec\.paramKind\.apiVersion/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#7$/,
    tests: /\[ValidatingAdmissionPolicy\.spec\.paramKind\.kind/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#8$/,
    tests: /\[ValidatingAdmissionPolicy\.spec\.validations|policies embedded.* (first-of-two)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#9$/,
    tests: /\[ValidatingAdmissionPolicy\.spec\.auditAnnotations|policies embedded.* (annotation-)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#10$/,
    tests: /\[ValidatingAdmissionPolicy\.spec\.variables|policies embedded.* (variable-)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#12$/,
    tests: /\[ValidatingAdmissionPolicy\.spec\.matchConditions\.name/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#13$/,
    tests: /\[ValidatingAdmissionPolicy\.spec\.matchConditions\.expression|policies embedded.* (condition-)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#15$/,
    tests: /policies embedded.* (condition-(false|both|error-false))/,
  },
  { rows: /^Resources and their fields\/ValidatingAdmissionPolicy#16$/, tests: /policies embedded.* (condition-true)/ },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#17$/,
    tests: /policies embedded.* (condition-error-(fail|ignore))/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#18$/,
    tests:
      /\[ValidatingAdmissionPolicy\.spec\.matchConstraints\.(defaults|excludeResourceRules)|policies embedded.* (match-exclude|bound-)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#19$/,
    tests:
      /\[ValidatingAdmissionPolicy\.spec\.matchConstraints\.resourceRules|policies embedded.* (match-two-rules|bound-rules)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#20$/,
    tests:
      /\[ValidatingAdmissionPolicy\.spec\.matchConstraints\.excludeResourceRules|policies embedded.* (match-exclude)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#21$/,
    tests: /\[ValidatingAdmissionPolicy\.spec\.matchConstraints\.matchPolicy|policies embedded.* (match-exact)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#22$/,
    tests:
      /\[ValidatingAdmissionPolicy\.spec\.matchConstraints\.namespaceSelector|policies embedded.* (match-namespace)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#23$/,
    tests:
      /\[ValidatingAdmissionPolicy\.spec\.matchConstraints\.objectSelector|policies embedded.* (match-object|select-update)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#25$/,
    tests:
      /\[ValidatingAdmissionPolicy\.spec\.matchConstraints\.resourceRules\.apiGroups|policies embedded.* (match-(core-only|other-group|all-resources))/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#26$/,
    tests:
      /\[ValidatingAdmissionPolicy\.spec\.matchConstraints\.resourceRules\.apiVersions|policies embedded.* (match-(other-version|exact))/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#27$/,
    tests:
      /\[ValidatingAdmissionPolicy\.spec\.matchConstraints\.resourceRules\.operations|policies embedded.* (match-(other|any)-operation)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#28$/,
    tests:
      /\[ValidatingAdmissionPolicy\.spec\.matchConstraints\.resourceRules\.resourceNames|policies embedded.* (match-names)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#29$/,
    tests:
      /\[ValidatingAdmissionPolicy\.spec\.matchConstraints\.resourceRules\.resources|policies embedded.* (match-all-|operation-deployment)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#30$/,
    tests:
      /\[ValidatingAdmissionPolicy\.spec\.matchConstraints\.resourceRules\.scope|policies embedded.* (match-scope)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#32$/,
    tests:
      /\[ValidatingAdmissionPolicy\.spec\.validations\.expression|policies embedded.* (tell-|variable-|param-|may-)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#33$/,
    tests: /\[ValidatingAdmissionPolicy\.spec\.validations\.message|policies embedded.* (message|tells-expression)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#34$/,
    tests: /\[ValidatingAdmissionPolicy\.spec\.validations\.messageExpression|policies embedded.* (message-expression)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#35$/,
    tests: /\[ValidatingAdmissionPolicy\.spec\.validations\.reason|policies embedded.* (reason-)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#37$/,
    tests: /core\/cel\/plan\/plan-expression.*names of fields/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#38$/,
    tests: /core\/cel\/plan\/plan-expression.*names of fields/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#39$/,
    tests: /core\/cel\/plan\/plan-expression.*names of fields/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#40$/,
    tests: /core\/cel\/plan\/plan-expression.*names of fields/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#41$/,
    tests:
      /core\/cel\/plan\/plan-expression.*(a set has no order|a map has no order|a set is united|a map takes values over)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#44$/,
    tests: /policies embedded.* (annotation-text)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#45$/,
    tests: /operator\/apiserver\/audit\/request-audit.*has a request as it came in/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#47$/,
    tests: /policies embedded.* (param-two-bindings|several-bindings)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#51$/,
    tests: /policies embedded.* (refuse-condition-variable)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#43$/,
    tests: /\[ValidatingAdmissionPolicy\.spec\.auditAnnotations\.key/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#46$/,
    tests: /\[ValidatingAdmissionPolicy\.spec\.auditAnnotations\.valueExpression|policies embedded.* (annotation-)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#49$/,
    tests: /\[ValidatingAdmissionPolicy\.spec\.variables\.name|policies embedded.* (variable-)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#50$/,
    tests:
      /\[ValidatingAdmissionPolicy\.spec\.variables\.expression|policies embedded.* (variable-composed|refuse-variable-)/,
  },
  { rows: /^Resources and their fields\/ValidatingAdmissionPolicy#52$/, tests: /\[ValidatingAdmissionPolicy\.status/ },
  { rows: /^Resources and their fields\/ValidatingAdmissionPolicy#53$/, tests: /\[ValidatingAdmissionPolicy\.status/ },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#54$/,
    tests: /\[Endpoints\/ValidatingAdmissionPolicy#6|policies embedded.* checks the types of policies alike/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#55$/,
    tests: /\[ValidatingAdmissionPolicy\.status\.typeChecking|policies embedded.* checks the types of policies alike/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicy#56$/,
    tests: /policies embedded.* checks the types of policies alike/,
  },
  { rows: /^Resources and their fields\/ValidatingAdmissionPolicyBinding#1$/, part: 'a heading' },
  { rows: /^Resources and their fields\/ValidatingAdmissionPolicyBinding#10$/, part: 'a heading' },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicyBinding#2$/,
    tests: /\[ValidatingAdmissionPolicyBinding\.spec\.policyName|policies embedded.* (without-policy)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicyBinding#3$/,
    tests: /\[ValidatingAdmissionPolicyBinding\.spec\.matchResources|policies embedded.* (bound-)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicyBinding#4$/,
    tests: /\[ValidatingAdmissionPolicyBinding\.spec\.paramRef|policies embedded.* (param-)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicyBinding#5$/,
    tests: /\[ValidatingAdmissionPolicyBinding\.spec\.paramRef\.(name|required)|policies embedded.* (param-name)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicyBinding#6$/,
    tests: /\[ValidatingAdmissionPolicyBinding\.spec\.paramRef\.selector|policies embedded.* (param-selector)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicyBinding#7$/,
    tests: /policies embedded.* (param-(name-namespace|class-namespace|cluster-object))/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicyBinding#8$/,
    tests:
      /\[ValidatingAdmissionPolicyBinding\.spec\.paramRef\.parameterNotFoundAction|policies embedded.* (param-(missing|selector-none))/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicyBinding#9$/,
    tests: /\[ValidatingAdmissionPolicyBinding\.spec\.validationActions/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicyBinding#11$/,
    tests: /policies embedded.* (actions-)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicyBinding#12$/,
    tests: /policies embedded.* (actions-(error|ignore))/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicyBinding#13$/,
    tests: /policies embedded.* (actions-deny)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicyBinding#14$/,
    tests: /policies embedded.* (actions-warn|denied-and-warned)/,
  },
  {
    rows: /^Resources and their fields\/ValidatingAdmissionPolicyBinding#15$/,
    tests: /policies embedded.* (actions-audit)/,
  },
];
