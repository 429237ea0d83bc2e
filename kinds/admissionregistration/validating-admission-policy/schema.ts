import type { z } from 'zod';
import { conditionSchema, kindSchema } from '../../object-schemas.ts';
import {
  atomicList,
  choice,
  filled,
  int64,
  mapList,
  omitted,
  pointer,
  required,
  struct,
  text,
} from '../../schema-vocabulary.ts';
import { matchResourcesSchema } from '../match-resources.ts';

const V1 = 'io.k8s.api.admissionregistration.v1';

const paramKindSchema = struct(
  { definition: `${V1}.ParamKind`, mapType: 'atomic', description: 'Kind of the parameters.' },
  {
    apiVersion: omitted(text(), 'Group and version, such as rules.example.com/v1.'),
    kind: omitted(text(), 'Kind.'),
  },
);

const validationSchema = struct(
  { definition: `${V1}.Validation`, description: 'An expression that must hold.' },
  {
    expression: required(text(), 'CEL expression that yields a boolean.'),
    message: omitted(text(), 'What to say when it does not hold; one line.'),
    reason: pointer(text(), 'Unauthorized, Forbidden, Invalid (when absent) or RequestEntityTooLarge.', {
      goType: 'v1.StatusReason',
    }),
    messageExpression: omitted(text(), 'CEL expression that yields the message; goes before message.'),
  },
);

/** Schema of an audit annotation. */
export const auditAnnotationSchema = struct(
  { definition: `${V1}.AuditAnnotation`, description: 'An annotation of the audit event.' },
  {
    key: required(text(), 'Key, unique in the policy; the name of the policy and a slash go before it.'),
    valueExpression: required(text(), 'CEL expression that yields a string, or null for no annotation; at most 5 kb.'),
  },
);

const matchConditionSchema = struct(
  { definition: `${V1}.MatchCondition`, description: 'A condition for requests to be matched.' },
  {
    name: required(text(), 'Qualified name, unique in the list.'),
    expression: required(text(), 'CEL expression that yields a boolean.'),
  },
);

const variableSchema = struct(
  { definition: `${V1}.Variable`, mapType: 'atomic', description: 'A named expression.' },
  {
    name: required(text(), 'CEL identifier; read as variables.<name>.'),
    expression: required(text(), 'CEL expression; may read the variables before it.'),
  },
);

const specSchema = struct(
  { definition: `${V1}.ValidatingAdmissionPolicySpec`, description: 'Which requests are checked, and how.' },
  {
    paramKind: pointer(paramKindSchema, 'Kind of the parameters; absent: no parameters.'),
    matchConstraints: pointer(matchResourcesSchema, 'Which requests are checked; needed, with at least one rule.'),
    validations: omitted(atomicList(validationSchema), 'What must hold; this or auditAnnotations is needed.'),
    failurePolicy: pointer(
      choice(['Ignore', 'Fail'], 'v1.FailurePolicyType'),
      'Whether errors of expressions and misconfiguration count: Fail (the default) or Ignore.',
    ),
    auditAnnotations: omitted(atomicList(auditAnnotationSchema), 'Annotations of the audit event.'),
    matchConditions: omitted(mapList(matchConditionSchema, ['name']), 'Conditions that all must hold; at most 64.'),
    variables: omitted(mapList(variableSchema, ['name']), 'Named expressions, each after those it reads.'),
  },
);

const statusSchema = struct(
  { definition: `${V1}.ValidatingAdmissionPolicyStatus`, description: 'What checking the policy itself found.' },
  {
    observedGeneration: omitted(int64(), 'Generation that the status is of.'),
    typeChecking: pointer(
      struct(
        { definition: `${V1}.TypeChecking`, description: 'Result of checking types; present when that is done.' },
        {
          expressionWarnings: omitted(
            atomicList(
              struct(
                { definition: `${V1}.ExpressionWarning`, description: 'Warning about one expression.' },
                {
                  fieldRef: required(text(), 'Path of the expression, such as spec.validations[0].expression.'),
                  warning: required(text(), 'One line for each checked type, with the error of the compiler.'),
                },
              ),
            ),
            'Warnings about expressions.',
          ),
        },
      ),
      'Result of checking types.',
    ),
    conditions: omitted(mapList(conditionSchema, ['type'], { patch: false }), 'Conditions by type.'),
  },
);

/** Schema of ValidatingAdmissionPolicy. */
export const validatingAdmissionPolicySchema = kindSchema(
  `${V1}.ValidatingAdmissionPolicy`,
  'Accepts or refuses objects by CEL expressions.',
  {
    spec: filled(specSchema, 'The policy.'),
    status: filled(statusSchema, 'What checking the policy itself found.'),
  },
);

/** A policy that accepts or refuses objects ("ValidatingAdmissionPolicy"). */
export type ValidatingAdmissionPolicy = z.infer<typeof validatingAdmissionPolicySchema>;
/** Which requests are checked, and how. */
export type ValidatingAdmissionPolicySpec = z.infer<typeof specSchema>;
/** An expression that must hold. */
export type PolicyValidation = z.infer<typeof validationSchema>;
/** An annotation of the audit event. */
export type AuditAnnotation = z.infer<typeof auditAnnotationSchema>;
/** Kind of the parameters. */
export type ParamKind = z.infer<typeof paramKindSchema>;
/** A condition for requests to be matched. */
export type MatchCondition = z.infer<typeof matchConditionSchema>;
/** A named expression. */
export type PolicyVariable = z.infer<typeof variableSchema>;
