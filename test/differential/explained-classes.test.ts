import { describe, expect, it } from 'vitest';

import { compareCase } from './compare-case.ts';
import { create, patch, read, remove, type DifferentialStep } from './differential-case.ts';
import type { Json } from './levels/change-body.ts';
import type { NormalAnswer } from './normalize-answers.ts';

type Fault = readonly [field: string, message: string];
/** Steps of a case, of which the last one counts, what a real server answers to it and what ours does. */
type Row = readonly [name: string, steps: readonly DifferentialStep[], real: NormalAnswer, ours: NormalAnswer];

function answer(status: number, body: Json): NormalAnswer {
  return { status, headers: {}, body };
}

function refuse(faults: readonly Fault[], details: Json = { kind: 'Kind', name: 'a' }): NormalAnswer {
  const causes = faults.map(([field, message]) => ({ field, message }));
  const texts = faults.map((fault) => fault.join(': '));
  const message = `Kind "a" is invalid: ${texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`}`;
  return answer(422, { kind: 'Status', status: 'Failure', code: 422, message, details: { ...details, causes } });
}

function forbid(message: string): NormalAnswer {
  return answer(403, { kind: 'Status', code: 403, reason: 'Forbidden', message });
}

function conflict(...managers: string[]): NormalAnswer {
  const causes = managers.map((name) => ({ field: `.spec.${name}`, message: `conflict with "${name}" using v1` }));
  const texts = managers.map((name) => `conflict with "${name}" using v1: .spec.${name}`);
  const message = `Apply failed with 2 conflicts: ${texts.join('\n')}`;
  return answer(409, { kind: 'Status', code: 409, reason: 'Conflict', message, details: { causes } });
}

function owned(kind: string, managedFields: readonly Json[], more: Json = {}): NormalAnswer {
  return answer(200, { kind, metadata: { name: 'a', resourceVersion: '<version 1>', ...more, managedFields } });
}

function ownLimits(manager: string): Json {
  return { manager, operation: 'Update', fieldsV1: { 'f:spec': { 'f:limits': {} } } };
}

function overflow(number: string): NormalAnswer {
  return refuse([
    ['patch', `Invalid value: "map[]": json: cannot unmarshal number ${number} into Go value of type int32`],
  ]);
}

function mistype(...faults: string[]): NormalAnswer {
  const message = `failed to create typed patch object (n/a; v1, Kind=Kind): errors:\n${faults.join('\n')}`;
  return answer(400, { kind: 'Status', code: 400, reason: 'BadRequest', message });
}

function conflictWithController(text: string): NormalAnswer {
  const causes = [{ field: '.status.a', message: `conflict with ${text}` }];
  const message = `Apply failed with 2 conflicts: conflicts with ${text}:\n- .status.a\n- .status.b`;
  return answer(409, { kind: 'Status', code: 409, reason: 'Conflict', message, details: { causes } });
}

const stored = answer(201, { kind: 'Kind', metadata: { name: 'a' } });
const warned = (warning: string): NormalAnswer => ({ ...stored, headers: { warning } });
const ownWarning =
  '299 - "spec.maxUnavailable is 0: no eviction of a healthy pod can ever be allowed, so nodes with such pods cannot be drained"';
const otherWarning = '299 - "unknown field \\"spec.a\\""';
const budgets = '/apis/policy/v1/namespaces/n/poddisruptionbudgets';
const ranges = '/api/v1/namespaces/n/limitranges';
const policies = '/apis/networking.k8s.io/v1/namespaces/n/networkpolicies';
const emptyRange = create(ranges, { metadata: { name: 'a' }, spec: { limits: [] } });
const emptyFlow = create('/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas', {
  metadata: { name: 'a' },
  spec: { rules: [{ resourceRules: [{ namespaces: [] }] }] },
});
const emptyPolicy = create(policies, { metadata: { name: 'a' }, spec: { ingress: [] } });
const labels = { manager: 'm', fieldsV1: { 'f:metadata': { 'f:labels': {} } } };
const controlled = { manager: 'bailiwick', fieldsV1: { 'f:status': { 'f:typeChecking': {} } } };
const client = { manager: 'm', fieldsV1: { 'f:spec': {} } };
const strategic = patch('strategic', '/a', { spec: { a: 1 } });
const large: Fault = ['spec.a', 'Invalid value: "9E": must be an integer'];
const unauthorized: Fault = [
  'spec.validations[0].reason',
  'Unsupported value: "Unauthorized": supported values: "Invalid"',
];
const deleted = answer(200, { kind: 'ThingList', items: [] });

function succeed(status: string, kind = 'things'): NormalAnswer {
  return answer(200, { kind: 'Status', status, details: { kind } });
}

function explain([, steps, real, ours]: Row): readonly string[] | undefined {
  const same = steps.slice(0, -1).map(() => answer(200, {}));
  return compareCase({ name: 'case', steps }, [...same, real], [...same, ours])[0]?.explained;
}

describe('what is explained', () => {
  it.for<readonly [...Row, string]>([
    [
      'entries of a map in another order',
      [strategic],
      refuse([
        ['spec.hard[a]', 'x'],
        ['spec.hard[b]', 'y'],
        ['spec.scopes', 'z'],
      ]),
      refuse([
        ['spec.hard[b]', 'y'],
        ['spec.hard[a]', 'x'],
        ['spec.scopes', 'z'],
      ]),
      'order',
    ],
    ['managers in conflict in another order', [strategic], conflict('a', 'b'), conflict('b', 'a'), 'order'],
    [
      'faults of what is applied in another order',
      [strategic],
      mistype('  .spec.a: expected map', '  .metadata.b: expected map'),
      mistype('  .metadata.b: expected map', '  .spec.a: expected map'),
      'order',
    ],
    [
      'several conflicts with a controller',
      [strategic],
      conflictWithController('"validatingadmissionpolicy-status" with subresource "status"'),
      conflictWithController('"bailiwick" with subresource "status" using v1'),
      'names',
    ],
    [
      'a fraction where a patch needs an integer',
      [strategic],
      refuse([['patch', 'Invalid value: "map[spec:map[a:1.5]]": cannot convert float64 to int32']]),
      refuse([
        [
          'patch',
          'Invalid value: "map[spec:map[a:1.5]]": json: cannot unmarshal number 1.5 into Go value of type int32',
        ],
      ]),
      'wording',
    ],
    [
      'limits in another order',
      [strategic],
      forbid('pods "a" is forbidden: [maximum cpu usage per Pod is 1, but limit is 2, minimum cpu usage per Pod is 3]'),
      forbid('pods "a" is forbidden: [minimum cpu usage per Pod is 3, maximum cpu usage per Pod is 1, but limit is 2]'),
      'order',
    ],
    [
      'properties of a custom resource in another order',
      [strategic],
      refuse(
        [
          ['spec.a', 'x'],
          ['spec.b', 'y'],
        ],
        { kind: 'Kind', group: 'example.com' },
      ),
      refuse(
        [
          ['spec.b', 'y'],
          ['spec.a', 'x'],
        ],
        { kind: 'Kind', group: 'example.com' },
      ),
      'order',
    ],
    [
      'a number that was wrapped around',
      [strategic],
      answer(200, { kind: 'Kind', spec: { a: -2_147_483_648 } }),
      overflow('2147483648'),
      'bounds',
    ],
    [
      'a number that was wrapped around in an object with other faults',
      [strategic],
      refuse([['spec.b', 'Forbidden: must be nil']]),
      overflow('2147483648'),
      'bounds',
    ],
    [
      'a struct that a controller owns',
      [read('/a')],
      owned('Kind', [client]),
      owned('Kind', [client, controlled]),
      'names',
    ],
    ['an amount that is large', [strategic], refuse([large]), stored, 'bounds'],
    [
      'who owns the empty list of a LimitRange',
      [emptyRange, read(`${ranges}/a`)],
      owned('LimitRange', [labels, ownLimits('m')]),
      owned('LimitRange', [labels]),
      'quotes',
    ],
    [
      'unknown fields of what a patch made in another order',
      [patch('merge', '/a', {})],
      warned(`${otherWarning}, 299 - "unknown field \\"spec.b\\""`),
      warned(`299 - "unknown field \\"spec.b\\"", ${otherWarning}`),
      'quotes',
    ],
    [
      'who owns the rules of a FlowSchema with an empty list in them',
      [emptyFlow],
      owned('FlowSchema', [labels, { manager: 'm', fieldsV1: { 'f:spec': { 'f:rules': {} } } }]),
      owned('FlowSchema', [labels]),
      'quotes',
    ],
    [
      'a change that an empty list of a NetworkPolicy was',
      [emptyPolicy, read(`${policies}/a`)],
      owned('NetworkPolicy', [], { generation: 2 }),
      owned('NetworkPolicy', [], { generation: 1 }),
      'quotes',
    ],
    ['a collection that is deleted', [remove('/v1/things?limit=1')], deleted, succeed('Success'), 'specification'],
    ['a reason that only one of the two knows', [strategic], refuse([unauthorized]), stored, 'specification'],
    [
      'a warning of a budget that allows nothing',
      [create(budgets, {})],
      warned(otherWarning),
      warned(`${otherWarning}, ${ownWarning}`),
      'warnings',
    ],
    [
      'the only warning, of a budget that allows nothing',
      [create(budgets, {})],
      stored,
      warned(ownWarning),
      'warnings',
    ],
  ])('%s', (row) => {
    expect(explain(row.slice(0, 4) as unknown as Row)).toEqual([row[4]]);
  });
});

describe('what is not explained', () => {
  it.for<Row>([
    [
      'unknown fields of what was created in another order',
      [create('/a', {})],
      warned(`${otherWarning}, 299 - "unknown field \\"spec.b\\""`),
      warned(`299 - "unknown field \\"spec.b\\"", ${otherWarning}`),
    ],
    [
      'other warnings of a patch in another order',
      [patch('merge', '/a', {})],
      warned(`299 - "b is denied", 299 - "a is deprecated", ${otherWarning}`),
      warned(`299 - "a is deprecated", 299 - "b is denied", ${otherWarning}`),
    ],
    ['another warning of a budget', [create(budgets, {})], stored, warned(otherWarning)],
    ['a warning of a budget about something else', [strategic], stored, warned(ownWarning)],
    [
      'the order of the fields of a struct',
      [strategic],
      refuse([
        ['spec.a', 'x'],
        ['spec.b', 'y'],
      ]),
      refuse([
        ['spec.b', 'y'],
        ['spec.a', 'x'],
      ]),
    ],
    [
      'the order of the maps of a limit',
      [strategic],
      refuse([
        ['spec.limits[0].max[a]', 'Invalid value: "a": must be another'],
        ['spec.limits[0].min[a]', 'Invalid value: "a": must be another'],
      ]),
      refuse([
        ['spec.limits[0].min[a]', 'Invalid value: "a": must be another'],
        ['spec.limits[0].max[a]', 'Invalid value: "a": must be another'],
      ]),
    ],
    [
      'the order of maps among each other',
      [strategic],
      refuse([
        ['status.hard[a]', 'x'],
        ['status.used[a]', 'y'],
      ]),
      refuse([
        ['status.used[a]', 'y'],
        ['status.hard[a]', 'x'],
      ]),
    ],
    [
      'a message of the same words',
      [strategic],
      answer(422, { kind: 'Status', code: 422, message: 'a must be less than b', details: { causes: [] } }),
      answer(422, { kind: 'Status', code: 422, message: 'b must be less than a', details: { causes: [] } }),
    ],
    [
      'who may not do what',
      [strategic],
      forbid('User "a" cannot get resource b'),
      forbid('User b cannot get resource "a"'),
    ],
    [
      'another fault of what is applied',
      [strategic],
      mistype('  .spec.a: expected map', '  .spec.b: expected map'),
      mistype('  .spec.a: expected map', '  .spec.c: expected map'),
    ],
    ['a conflict with another manager', [strategic], conflict('a', 'b'), conflict('a', 'c')],
    ['a number that its type holds', [strategic], answer(200, { kind: 'Kind', spec: { a: 5 } }), overflow('5')],
    ['a number that Kubernetes did not wrap', [strategic], answer(409, { kind: 'Status' }), overflow('2147483648')],
    [
      'a field that a controller owns',
      [read('/a')],
      owned('Kind', [client]),
      owned('Kind', [client, { ...controlled, fieldsV1: { 'f:status': { 'f:a': {} } } }]),
    ],
    ['a patch that both cannot read', [strategic], refuse([['patch', 'it cannot be done']]), overflow('2147483648')],
    [
      'a number that Kubernetes stored as another',
      [strategic],
      answer(200, { kind: 'Kind', spec: { a: 7 } }),
      overflow('2147483648'),
    ],
    ['an amount that breaks ours', [strategic], refuse([large]), answer(500, { kind: 'Status', message: 'boom' })],
    [
      'an amount that ours stores elsewhere',
      [strategic],
      refuse([large]),
      answer(201, { kind: 'Kind', metadata: { name: 'b' } }),
    ],
    [
      'lost managers of a LimitRange, an empty map in another object',
      [create('/api/v1/namespaces/n/configmaps', { metadata: { name: 'a' }, data: {} }), read(`${ranges}/a`)],
      owned('LimitRange', [ownLimits('m')]),
      owned('LimitRange', []),
    ],
    [
      'lost managers of a LimitRange, an empty list in one of another name',
      [emptyRange, read(`${ranges}/b`)],
      owned('LimitRange', [ownLimits('m')]),
      owned('LimitRange', []),
    ],
    [
      'lost managers of other fields of a LimitRange that had an empty list',
      [emptyRange, read(`${ranges}/a`)],
      owned('LimitRange', [labels, ownLimits('m')]),
      owned('LimitRange', []),
    ],
    [
      'no generation of a NetworkPolicy',
      [emptyPolicy, read(`${policies}/a`)],
      owned('NetworkPolicy', [], { generation: 1 }),
      owned('NetworkPolicy', []),
    ],
    [
      'a generation ahead of the real one',
      [emptyPolicy, read(`${policies}/a`)],
      owned('NetworkPolicy', [], { generation: 1 }),
      owned('NetworkPolicy', [], { generation: 2 }),
    ],
    ['a collection that is not deleted', [remove('/v1/things')], deleted, succeed('Failure')],
    ['another collection that is deleted', [remove('/v1/things')], deleted, succeed('Success', 'others')],
    ['nothing where an object is accepted', [strategic], refuse([unauthorized]), answer(204, undefined)],
    [
      'another fault of a patch than that of its type',
      [strategic],
      refuse([['patch', 'Invalid value: "map[a:b]": cannot restore struct from: string']]),
      refuse([['patch', 'Invalid value: "map[a:b]": it cannot be done']]),
    ],
  ])('%s', (row) => {
    expect(explain(row)).toEqual([]);
  });
});
