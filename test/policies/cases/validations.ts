import { create, type PolicyScenario, scenario } from '../scenario.ts';

/** A validation that fails. */
const no = { expression: 'false' };
const long = 'x'.repeat(6000);

/** Messages, reasons, and which of several failures is told. */
export const messageScenarios: readonly PolicyScenario[] = (
  [
    ['passes', [{ expression: 'true' }]],
    ['fails', [no]],
    ['tells-expression', [{ expression: "  object.data.key == 'other'  " }]],
    ['message', [{ ...no, message: 'not like this' }]],
    ['message-padded', [{ ...no, message: '  padded  ' }]],
    ['message-lines', [{ expression: 'false &&\ntrue', message: 'lines need a message' }]],
    ['message-quoted', [{ ...no, message: 'a "quoted" \'text\' <b>&amp;</b> \\ ü€😀' }]],
    ['expression-quoted', [{ expression: 'object.data.key == "<b>&\\u00fc\\t" || "😀" == "x"' }]],
    ['message-expression', [{ ...no, messageExpression: "'key is ' + object.data.key" }]],
    ['message-expression-wins', [{ ...no, message: 'plain', messageExpression: "'computed'" }]],
    ['message-expression-padded', [{ ...no, messageExpression: "'  computed\\t'" }]],
    ['message-expression-empty', [{ ...no, message: 'plain', messageExpression: "''" }]],
    ['message-expression-blank', [{ ...no, message: 'plain', messageExpression: "'   '" }]],
    ['message-expression-lines', [{ ...no, message: 'plain', messageExpression: "'a\\nb'" }]],
    ['message-expression-returns', [{ ...no, messageExpression: "'a\\rb'" }]],
    ['message-expression-ending', [{ ...no, messageExpression: "'a\\n'" }]],
    ['message-expression-error', [{ ...no, message: 'plain', messageExpression: 'string(object.data.none)' }]],
    ['message-expression-error-alone', [{ ...no, messageExpression: 'string(object.data.none)' }]],
    ['message-expression-division', [{ ...no, messageExpression: 'string(1 / (size(object.data) - 2))' }]],
    ['message-expression-long', [{ ...no, message: 'plain', messageExpression: `'${long}'` }]],
    ['message-expression-5120', [{ ...no, message: 'plain', messageExpression: `'${'y'.repeat(5120)}'` }]],
    ['message-expression-5121', [{ ...no, message: 'plain', messageExpression: `'${'y'.repeat(5121)}'` }]],
    [
      'message-expression-format',
      [{ ...no, messageExpression: "'%s has %d keys'.format([object.metadata.name, size(object.data)])" }],
    ],
    [
      'message-expression-request',
      [{ ...no, messageExpression: "request.operation + ' ' + request.userInfo.username" }],
    ],
    [
      'message-expression-namespace',
      [{ ...no, messageExpression: "namespaceObject.metadata.name + '/' + namespaceObject.metadata.labels.team" }],
    ],
    ['message-expression-old', [{ ...no, message: 'plain', messageExpression: 'string(oldObject.metadata.name)' }]],
    ['message-expression-dyn', [{ ...no, message: 'plain', messageExpression: 'string(object.metadata.name)' }]],
    ['message-expression-passing', [{ expression: 'true', messageExpression: "'unused'" }]],

    ['reason-forbidden', [{ ...no, reason: 'Forbidden' }]],
    ['reason-invalid', [{ ...no, reason: 'Invalid' }]],
    ['reason-too-large', [{ ...no, reason: 'RequestEntityTooLarge', message: 'too much' }]],
    [
      'second-fails',
      [
        { expression: 'true', reason: 'Forbidden' },
        { ...no, message: 'second', reason: 'RequestEntityTooLarge' },
      ],
    ],
    [
      'first-of-two',
      [
        { ...no, message: 'first', reason: 'Forbidden' },
        { ...no, message: 'second', reason: 'RequestEntityTooLarge' },
      ],
    ],
    [
      'error-before-failure',
      [
        { expression: 'object.data.none == 1', reason: 'Forbidden' },
        { ...no, message: 'second' },
      ],
    ],
    ['failure-before-error', [{ ...no, reason: 'Forbidden' }, { expression: 'object.data.none == 1' }]],
  ] as const
).map(([name, validations]) => scenario(name, { validations }));

const erring: readonly (readonly [name: string, expression: string])[] = [
  ['no-key', "object.data.none == 'x'"],
  ['no-field-below', 'object.spec.replicas == 3'],
  ['no-index', "['a'][size(object.data)] == 'a'"],
  ['division', '1 / (size(object.data) - 3) == 1'],
  ['modulus', '1 % (size(object.data) - 3) == 1'],
  ['overflow', '9223372036854775807 + size(object.data) > 0'],
  ['negation', '-(-9223372036854775807 - size(object.data) + 1) > 0'],
  ['unsigned', 'uint(1 - size(object.data)) == 1u'],
  ['no-overload', 'object.data.key + 1 == 2'],
  ['no-overload-compare', 'object.data.key < 3'],
  ['no-overload-method', "object.data.startsWith('x')"],
  ['not-bool', 'object.data.key ? true : false'],
  ['not-bool-and', 'object.data.key && true'],
  ['to-int', 'int(object.data.key) == 3'],
  ['to-double', 'double(object.data.key) == 3.0'],
  ['to-time', "timestamp(object.data.key) < timestamp('2020-01-01T00:00:00Z')"],
  ['to-duration', "duration(object.data.key) < duration('1h')"],
  ['bad-regex', 'object.data.key.matches(object.data.regex)'],
  ['bad-quantity', 'quantity(object.data.key).isInteger()'],
  ['bad-url', "url(object.data.key).getHost() == ''"],
  ['bad-ip', 'ip(object.data.key).family() == 4'],
  ['bad-cidr', 'cidr(object.data.key).prefixLength() == 8'],
  ['bad-semver', 'semver(object.data.key).major() == 1'],
  ['bad-format', "format.named(object.data.key).value().validate('x').hasValue()"],
  ['map-conflict', "{dyn(object.data.key): 1, dyn('value'): 2}.size() == 2"],
  ['list-sum', '[object.data.key, object.data.number].sum() == 1'],
  ['null-field', 'oldObject.metadata.name == "x"'],
  ['exists-one', 'object.data.exists_one(k, object.data[k] / 2 == 1)'],
  ['all-error', "[dyn('7'), object.data.key].all(k, int(k) == 7)"],
  ['absorbed', "object.data.none == 'x' || object.data.key == 'value'"],
  ['absorbed-and', "object.data.none == 'x' && object.data.key == 'other'"],
];

/** Errors of evaluation, by failurePolicy and by what the binding does with failures. */
export const errorScenarios: readonly PolicyScenario[] = erring.flatMap(([name, expression]) => {
  const data = { key: 'value', number: '7', regex: '(' };
  const make = (suffix: string, failurePolicy: string, validationActions: readonly string[]): PolicyScenario => {
    const full = `error-${name}-${suffix}`;
    return scenario(
      full,
      { failurePolicy, validations: [{ expression, message: 'unused', reason: 'Forbidden' }] },
      { binding: { validationActions }, requests: [create(full, `${full}-a`, data)] },
    );
  };
  return [make('fail', 'Fail', ['Deny']), make('ignore', 'Ignore', ['Deny']), make('warn', 'Fail', ['Warn', 'Audit'])];
});

const actions: readonly (readonly string[])[] = [
  ['Deny'],
  ['Warn'],
  ['Audit'],
  ['Deny', 'Audit'],
  ['Audit', 'Deny'],
  ['Warn', 'Audit'],
];

/** What bindings do with failures and errors. */
export const actionScenarios: readonly PolicyScenario[] = actions.flatMap((validationActions) => {
  const suffix = validationActions.join('-').toLowerCase();
  const binding = { validationActions };
  return [
    scenario(
      `actions-${suffix}`,
      {
        validations: [
          { expression: "object.data.key != 'value'", message: 'first "quoted", with: commas' },
          { expression: 'true' },
          {
            expression: "object.data.number == '8'",
            messageExpression: "'second ' + object.data.number",
            reason: 'Forbidden',
          },
        ],
      },
      { binding },
    ),
    scenario(
      `actions-error-${suffix}`,
      { validations: [{ expression: 'object.data.none == 1' }, { expression: 'false' }] },
      { binding },
    ),
    scenario(
      `actions-ignore-${suffix}`,
      { failurePolicy: 'Ignore', validations: [{ expression: 'object.data.none == 1' }, { expression: 'false' }] },
      { binding },
    ),
  ];
});

const nested =
  'object.data.all(a, object.data.all(b, object.data.all(c, object.data.all(d, object.data.all(e, true)))))';
/** Costs 960,000 and something, as long texts do that are equal. */
const longTexts = `${JSON.stringify(Array.from({ length: 24 }, (_, index) => index))}.all(i, object.data.long == object.data.same)`;
const longText = 'x'.repeat(400_000);
const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`k${index}`, 'v'.repeat(100)]));

/** Budgets: of one expression, of all of a policy, of a message. */
export const budgetScenarios: readonly PolicyScenario[] = (
  [
    ['expression', { validations: [{ expression: nested }] }],
    ['ignored', { failurePolicy: 'Ignore', validations: [{ expression: nested }] }],
    ['second-expression', { validations: [{ expression: 'true' }, { expression: nested }, { expression: 'false' }] }],
    // Comparing long texts costs much and takes no time.
    ['all-together', { validations: Array.from({ length: 12 }, () => ({ expression: longTexts })) }],
    [
      'message',
      { validations: [{ expression: 'false', messageExpression: `${nested} ? 'a' : 'b'`, message: 'plain' }] },
    ],
    [
      'match-condition',
      { matchConditions: [{ name: 'heavy', expression: nested }], validations: [{ expression: 'true' }] },
    ],
    ['annotation', { auditAnnotations: [{ key: 'a', valueExpression: `${nested} ? 'a' : 'b'` }] }],
    [
      'variable',
      { variables: [{ name: 'heavy', expression: nested }], validations: [{ expression: 'variables.heavy' }] },
    ],
  ] as const
).map(([suffix, spec]) => {
  const name = `budget-${suffix}`;
  const data = suffix === 'all-together' ? { long: longText, same: longText } : many;
  return scenario(name, spec, { requests: [create(name, `${name}-a`, data)] });
});
