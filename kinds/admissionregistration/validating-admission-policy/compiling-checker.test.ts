import { describe, expect, it } from 'vitest';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeRequired } from '../../../core/errors/make-field-error.ts';
import { makeInvalidError } from '../../../core/errors/make-status-error.ts';
import { makePolicy } from '../policy/testdata/make-request.ts';
import type { ValidatingAdmissionPolicySpec } from './schema.ts';
import { expressionCompiler, validatePolicy, validatePolicyStructure, validatePolicyUpdate } from './validate.ts';

await expressionCompiler.load();

const condition = (expression: string) => ({ matchConditions: [{ name: 'c', expression }] });
const variable = (expression: string) => ({ variables: [{ name: 'v', expression }] });
const validation = (expression: string, messageExpression?: string) => ({
  validations: [{ expression, ...(messageExpression === undefined ? {} : { messageExpression }) }],
});
const annotation = (valueExpression: string) => ({ auditAnnotations: [{ key: 'k', valueExpression }] });
const withParams = { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } };

function validate(spec: Partial<ValidatingAdmissionPolicySpec>): string[] {
  return validatePolicy(makePolicy(spec)).map(({ field, detail }) => `${field}: ${detail.split('\n')[0]}`);
}
const undeclared = (column: number, name: string) =>
  `compilation failed: ERROR: <input>:1:${column}: undeclared reference to '${name}' (in container '')`;

describe('expressions of a new policy', () => {
  it.for<[string, Partial<ValidatingAdmissionPolicySpec>, string[]]>([
    [
      'all well',
      {
        ...condition('object != null'),
        ...variable('1'),
        ...validation('variables.v == 1', "'a'"),
        ...annotation('null'),
      },
      [],
    ],
    ['an unknown name', validation('objekt.a == 1'), [`spec.validations[0].expression: ${undeclared(1, 'objekt')}`]],
    [
      'a syntax error',
      validation('object.a =='),
      [
        "spec.validations[0].expression: compilation failed: ERROR: <input>:1:12: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
      ],
    ],
    ['no boolean', validation("'a'"), ['spec.validations[0].expression: must evaluate to bool but got string']],
    [
      'a boolean that nobody knows of',
      validation('object.a'),
      ['spec.validations[0].expression: must evaluate to bool but got dyn'],
    ],
    [
      'a condition that is no boolean',
      condition('[1]'),
      ['spec.matchConditions[0].expression: must evaluate to bool but got list(int)'],
    ],
    [
      'a condition with a variable',
      { ...variable('1'), ...condition('variables.v == 1') },
      [`spec.matchConditions[0].expression: ${undeclared(1, 'variables')}`],
    ],
    [
      'a message that is no text',
      validation('true', '1'),
      ['spec.validations[0].messageExpression: must evaluate to string but got int'],
    ],
    [
      'an authorizer in a message',
      validation('true', "string(authorizer.path('/').check('get').allowed())"),
      [`spec.validations[0].messageExpression: ${undeclared(8, 'authorizer')}`],
    ],
    [
      'an annotation that is no text',
      annotation('1'),
      ['spec.auditAnnotations[0].valueExpression: must evaluate to one of [string null_type] but got int'],
    ],
    [
      'parameters without a kind',
      validation('params == null'),
      [`spec.validations[0].expression: ${undeclared(1, 'params')}`],
    ],
    ['parameters', { ...withParams, ...validation('params == null'), ...condition('params.x == 1') }, []],
    [
      'variables that are not there',
      validation('variables.v == 1'),
      [`spec.validations[0].expression: ${undeclared(1, 'variables')}`],
    ],
    [
      'another variable',
      { ...variable('1'), ...validation('variables.w == 1') },
      ["spec.validations[0].expression: compilation failed: ERROR: <input>:1:10: undefined field 'w'"],
    ],
    [
      'a variable of another type',
      { ...variable('1'), ...validation("variables.v == 'a'") },
      [
        "spec.validations[0].expression: compilation failed: ERROR: <input>:1:13: found no matching overload for '_==_' applied to '(int, string)'",
      ],
    ],
    [
      'a variable of an odd name',
      { variables: [{ name: '__proto__', expression: '1' }], ...validation('variables.__proto__ == 1') },
      [],
    ],
    [
      'a variable that comes later',
      {
        variables: [
          { name: 'a', expression: 'variables.b' },
          { name: 'b', expression: '1' },
        ],
      },
      ["spec.variables[0].expression: compilation failed: ERROR: <input>:1:10: undefined field 'b'"],
    ],
    [
      'a variable that does not compile',
      { ...variable('1 +'), ...validation("variables.v == 'a'") },
      [expect.stringMatching(/^spec.variables\[0\].expression: compilation failed/)],
    ],
    [
      'an unknown field of the request',
      validation("request.uid == ''"),
      ["spec.validations[0].expression: compilation failed: ERROR: <input>:1:8: undefined field 'uid'"],
    ],
    [
      'an unknown field of the namespace',
      validation('namespaceObject.metadata.managedFields == null'),
      ["spec.validations[0].expression: compilation failed: ERROR: <input>:1:25: undefined field 'managedFields'"],
    ],
    [
      'what only stored ones may use',
      validation('[2, 1].sort() == [1, 2]'),
      [expect.stringContaining("undeclared reference to 'sort'")],
    ],
  ])('%s', ([, spec, expected]) => {
    expect(validate(spec)).toEqual(expected);
  });

  it('shows the source line and where the fault is', () => {
    const [fault] = validatePolicy(makePolicy(validation('objekt.a == 1')));
    expect(fault?.detail.split('\n').slice(1)).toEqual([' | objekt.a == 1', ' | ^']);
  });

  it.for<[string, Partial<ValidatingAdmissionPolicySpec>, string]>([
    ['a condition', condition("'a'.find('(') == ''"), 'spec.matchConditions[0].expression'],
    ['a variable', variable("'a'.find('(')"), 'spec.variables[0].expression'],
    ['a validation', validation("'a'.find('(') == ''"), 'spec.validations[0].expression'],
    ['a message', validation('true', "'a'.find('(')"), 'spec.validations[0].messageExpression'],
    ['an annotation', annotation("'a'.find('(')"), 'spec.auditAnnotations[0].valueExpression'],
  ])('%s that is right and cannot be run is an error of Kubernetes’ own to it', ([, spec, field]) => {
    const detail = 'program instantiation failed: error parsing regexp: missing closing ): `(`';
    expect(validatePolicy(makePolicy({ validations: [{ expression: 'true' }], ...spec }))).toEqual([
      { type: 'InternalError', field, detail },
    ]);
  });

  it('of another type that cannot be run either is the policy’s own fault', () => {
    expect(validate(validation("'a'.find('(')"))).toEqual([
      'spec.validations[0].expression: must evaluate to bool but got string',
    ]);
  });

  it('are not looked at any more once there is more to tell than anybody is told', () => {
    const validations = Array.from({ length: 10 }, () => ({ expression: `${'objekt && '.repeat(1_000)}true` }));
    const faults = validatePolicy(makePolicy({ validations }));
    expect(faults.length).toBeGreaterThan(0);
    expect(faults.length).toBeLessThan(validations.length);
    // The answer has no more than the texts of these.
    const all = [...faults, makeRequired(FieldPath.root('last'), '')];
    expect(makeInvalidError('g', 'K', 'n', all)).toEqual(makeInvalidError('g', 'K', 'n', faults));
  });
});

describe('expressions of a changed policy', () => {
  const old = makePolicy({ ...validation('[2, 1].sort() == [1, 2]'), ...condition('object.') });

  it('keep what they had, and may use no more', () => {
    expect(validatePolicyUpdate(old, old)).toEqual([]);
    const changed = makePolicy({ ...old.spec, ...validation('[3, 1].sort() == [1, 3]') });
    expect(validatePolicyUpdate(changed, old).map(({ field }) => field)).toEqual(['spec.validations[0].expression']);
  });

  it('are conditions that are looked at again with another kind of parameters', () => {
    const changed = makePolicy({ ...old.spec, ...withParams });
    expect(validatePolicyUpdate(changed, old).map(({ field }) => field)).toEqual([
      'spec.matchConditions[0].expression',
    ]);
  });
});

it('leaves expressions out of what makes a policy one', () => {
  expect(validatePolicyStructure(makePolicy(validation('objekt')))).toEqual([]);
});
