import type { JsonObject } from '../../../../core/meta/json.ts';
import { makeRuleCase } from '../../../rule-case.ts';
import type { RuleCase, RuleRow } from '../../../rule-case.ts';

const spec = { podName: 'web-0', podUID: 'u-1', containerName: 'app', nodeName: 'node-1' };
const checkpoint = (own: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'node.{domain}/v1',
  kind: 'Checkpoint',
  metadata: { name: 'rule', ...metadata },
  spec: { ...spec, ...own },
});
const longName = 'a'.repeat(254);
const noName =
  'Invalid value: "A": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or \'-\', and must ' +
  "start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const immutable = (value: string): string => `Invalid value: "${value}": field is immutable`;
const none = 'Forbidden: checkpoints carry none: only spec.pinned may be changed';

const rows: RuleRow[] = [
  ['spec.podName', 'Checkpoint spec.podName', checkpoint({}), checkpoint({ podName: longName }), 'spec.podName',
    `Invalid value: "${longName}": must be no more than 253 characters`],
  ['spec.podName.required', 'Checkpoint spec.podName', checkpoint({}), checkpoint({ podName: '' }), 'spec.podName',
    'Required value'],
  ['spec.podUID', 'Checkpoint spec.podUID', checkpoint({}), checkpoint({ podUID: 'a b' }), 'spec.podUID',
    'Invalid value: "a b": must be a UID'],
  ['spec.containerName', 'Checkpoint spec.containerName', checkpoint({}), checkpoint({ containerName: 'A' }),
    'spec.containerName', noName],
  ['spec.nodeName', 'Checkpoint spec.nodeName', checkpoint({}), checkpoint({ nodeName: '' }), 'spec.nodeName',
    'Required value'],
];

const changes: RuleRow[] = [
  ['spec.podName.immutable', 'Checkpoint update', checkpoint({ pinned: true }), checkpoint({ podName: 'web-1' }),
    'spec.podName', immutable('web-1')],
  ['spec.podUID.immutable', 'Checkpoint update', checkpoint({ pinned: true }), checkpoint({ podUID: 'u-2' }),
    'spec.podUID', immutable('u-2')],
  ['spec.containerName.immutable', 'Checkpoint update', checkpoint({ pinned: true }),
    checkpoint({ containerName: 'other' }), 'spec.containerName', immutable('other')],
  ['spec.nodeName.immutable', 'Checkpoint update', checkpoint({ pinned: true }), checkpoint({ nodeName: 'node-2' }),
    'spec.nodeName', immutable('node-2')],
  ['metadata.labels', 'Checkpoint update', checkpoint({ pinned: true }), checkpoint({}, { labels: { a: 'b' } }),
    'metadata.labels', none],
  ['metadata.annotations', 'Checkpoint update', checkpoint({}), checkpoint({}, { annotations: { a: 'b' } }),
    'metadata.annotations', none],
  ['metadata.finalizers', 'Checkpoint update', checkpoint({}), checkpoint({}, { finalizers: ['a/b'] }),
    'metadata.finalizers', none],
];

/** The rules of Checkpoint. */
export const checkpointRules: readonly RuleCase[] = [
  ...rows.map((row) => makeRuleCase('Checkpoint', row)),
  ...changes.map((row) => ({ ...makeRuleCase('Checkpoint', row), old: checkpoint({}) })),
];
