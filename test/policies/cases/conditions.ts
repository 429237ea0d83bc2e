import { create, makeBinding, makePolicy, type PolicyScenario, scenario } from '../scenario.ts';

const yes = { name: 'yes', expression: 'true' };
const no = { name: 'no', expression: 'false' };
const error = { name: 'error', expression: "object.data.none == 'x'" };
const other = { name: 'other', expression: 'object.data.number / 2 == 1' };
const denied = [{ expression: 'false', message: 'evaluated' }];

/** Match conditions: all true, one false, errors. */
export const conditionScenarios: readonly PolicyScenario[] = (
  [
    ['true', [yes]],
    ['false', [no]],
    ['both', [yes, no]],
    ['error', [error]],
    ['error-true', [error, yes]],
    ['error-false', [error, no]],
    ['false-error', [no, error]],
    ['two-errors', [error, other]],
    [
      'request',
      [{ name: 'request', expression: "request.userInfo.username == 'admin' && request.operation == 'CREATE'" }],
    ],
    ['domain-name', [{ name: 'example.com/name', expression: "has(object.data.none) && object.data.none == 'x'" }]],
    [
      'authorizer',
      [{ name: 'authorizer', expression: "authorizer.group('').resource('secrets').check('get').allowed()" }],
    ],
    ['old', [{ name: 'old', expression: 'oldObject == null' }]],
  ] as const
).flatMap(([suffix, matchConditions]) =>
  ['Fail', 'Ignore'].map((failurePolicy) =>
    scenario(`condition-${suffix}-${failurePolicy.toLowerCase()}`, {
      failurePolicy,
      matchConditions,
      validations: denied,
    }),
  ),
);

/** What a match condition's error becomes with each action. */
export const conditionActionScenarios: readonly PolicyScenario[] = [['Warn'], ['Audit'], ['Deny', 'Audit']].map(
  (validationActions) =>
    scenario(
      `condition-action-${validationActions.join('-').toLowerCase()}`,
      { matchConditions: [error], validations: denied },
      { binding: { validationActions } },
    ),
);

const value = { name: 'value', expression: 'object.data.key' };

/** Variables: lazy, composed, failing. */
export const variableScenarios: readonly PolicyScenario[] = (
  [
    ['used', [value], "variables.value == 'other'", "'is ' + variables.value"],
    [
      'composed',
      [value, { name: 'twice', expression: 'variables.value + variables.value' }],
      "variables.twice == 'x'",
      'string(variables.twice)',
    ],
    ['unused-error', [{ name: 'broken', expression: 'object.data.none' }], 'true', undefined],
    ['used-error', [{ name: 'broken', expression: 'object.data.none' }], "variables.broken == 'x'", undefined],
    [
      'chained-error',
      [
        { name: 'broken', expression: 'int(object.data.key)' },
        { name: 'next', expression: 'variables.broken + 1' },
      ],
      'variables.next > 1',
      undefined,
    ],
    [
      'absorbed-error',
      [{ name: 'broken', expression: 'object.data.none' }],
      "variables.broken == 'x' || true",
      undefined,
    ],
    ['message-error', [{ name: 'broken', expression: 'object.data.none' }], 'false', 'string(variables.broken)'],
    [
      'list',
      [{ name: 'list', expression: '[1, 2, 3]' }],
      'variables.list.exists(i, i > 3)',
      'string(variables.list[0])',
    ],
    ['map', [{ name: 'map', expression: "{'a': 1}" }], 'variables.map.a == 2', 'string(variables.map.a)'],
    [
      'number',
      [{ name: 'n', expression: 'int(object.data.number)' }],
      'variables.n > 7',
      "'only ' + string(variables.n)",
    ],
    [
      'conditional',
      [{ name: 'is', expression: "has(object.data.none) ? object.data.none : 'nothing'" }],
      "variables.is == 'x'",
      'string(variables.is)',
    ],
    [
      'authorizer',
      [{ name: 'may', expression: "authorizer.group('').resource('pods').check('list').allowed()" }],
      '!variables.may',
      undefined,
    ],
  ] as const
).map(([suffix, variables, expression, messageExpression]) =>
  scenario(`variable-${suffix}`, {
    variables,
    validations: [{ expression, ...(messageExpression === undefined ? {} : { messageExpression }) }],
  }),
);

/** A policy that only annotates. */
const annotate = (valueExpression: string) => ({ auditAnnotations: [{ key: 'note', valueExpression }] });
const manyKeys = Object.fromEntries(Array.from({ length: 24 }, (_, index) => [`k${index}`, 'ü'.repeat(300)]));

/** Annotations of the audit event. */
export const annotationScenarios: readonly PolicyScenario[] = [
  ...(
    [
      ['text', annotate("'a ' + object.data.key")],
      ['padded', annotate("'  a  '")],
      ['empty', annotate("''")],
      ['blank', annotate("' \\t '")],
      ['null', annotate('null')],
      ['conditional', annotate("object.data.key == 'value' ? 'seen' : ''")],
      ['conditional-null', annotate("object.data.key == 'other' ? 'seen' : ''")],
      ['lines', annotate("'a\\nb'")],
      ['error', annotate('string(object.data.none)')],
      ['error-ignored', { failurePolicy: 'Ignore', ...annotate('string(object.data.none)') }],
      ['dyn', annotate('string(object.data.key)')],
      ['variable', { variables: [{ name: 'v', expression: 'object.data.key' }], ...annotate('string(variables.v)') }],
      ['beside-failure', { ...annotate("'noted'"), validations: [{ expression: 'false' }] }],
      ['beside-error', { ...annotate("'noted'"), validations: [{ expression: 'object.data.none == 1' }] }],
      ['not-matching', { ...annotate("'noted'"), matchConditions: [{ name: 'no', expression: 'false' }] }],
      [
        'two',
        {
          auditAnnotations: [
            { key: 'a', valueExpression: "'1'" },
            { key: 'b.c_d-e', valueExpression: 'string(size(object.data))' },
          ],
        },
      ],
      [
        'error-and-text',
        {
          auditAnnotations: [
            { key: 'a', valueExpression: 'string(object.data.none)' },
            { key: 'b', valueExpression: "'kept'" },
          ],
        },
      ],
    ] as const
  ).map(([suffix, spec]) => scenario(`annotation-${suffix}`, spec)),
  scenario('annotation-error-warn', annotate('string(object.data.none)'), { binding: { validationActions: ['Warn'] } }),
  scenario('annotation-error-audit', annotate('string(object.data.none)'), {
    binding: { validationActions: ['Audit'] },
  }),
  scenario('annotation-long', annotate("object.data.map(k, object.data[k]).join('')"), {
    requests: [create('annotation-long', 'annotation-long-a', manyKeys)],
  }),
];

/** Several policies or bindings for one request. */
export const severalScenarios: readonly PolicyScenario[] = [
  {
    name: 'several-bindings',
    policies: [
      makePolicy('several-bindings', {
        validations: [{ expression: 'false', message: 'no' }],
        auditAnnotations: [{ key: 'note', valueExpression: "'same for all'" }],
      }),
    ],
    bindings: [['Warn'], ['Audit'], ['Warn']].map((validationActions, index) =>
      makeBinding('several-bindings', 'several-bindings', { validationActions }, `several-bindings-${index}`),
    ),
    requests: [create('several-bindings', 'several-bindings-a')],
    isUnordered: true,
  },
  {
    name: 'several-denials',
    policies: ['a', 'b'].map((suffix) =>
      makePolicy(`several-denials-${suffix}`, { validations: [{ expression: 'false', message: `no ${suffix}` }] }),
    ),
    bindings: ['a', 'b'].map((suffix) => makeBinding('several-denials', `several-denials-${suffix}`)),
    requests: [create('several-denials', 'several-denials-a')],
    isUnordered: true,
  },
  {
    name: 'denied-and-warned',
    policies: ['a', 'b', 'c'].map((suffix) =>
      makePolicy(`denied-and-warned-${suffix}`, {
        validations: [{ expression: 'false', message: `no ${suffix}` }],
        auditAnnotations: [{ key: 'note', valueExpression: `'${suffix}'` }],
      }),
    ),
    bindings: [
      makeBinding('denied-and-warned', 'denied-and-warned-a', { validationActions: ['Warn'] }),
      makeBinding('denied-and-warned', 'denied-and-warned-b', { validationActions: ['Deny'] }),
      makeBinding('denied-and-warned', 'denied-and-warned-c', { validationActions: ['Audit'] }),
    ],
    requests: [create('denied-and-warned', 'denied-and-warned-a')],
  },
  {
    name: 'unbound',
    policies: [makePolicy('unbound', { validations: [{ expression: 'false' }] })],
    bindings: [],
    requests: [create('unbound', 'unbound-a')],
  },
  {
    name: 'without-policy',
    policies: [],
    bindings: [makeBinding('without-policy', 'no-such-policy', {}, 'without-policy')],
    requests: [create('without-policy', 'without-policy-a')],
  },
];
