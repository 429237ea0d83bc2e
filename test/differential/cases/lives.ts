import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { JsonObject } from '../../../core/meta/json.ts';
import { locateKind } from '../../../kinds/locate-kind.ts';
import type { RegisteredKind } from '../../../kinds/registry.ts';
import { resolveRuleObject } from '../../../kinds/rule-case.ts';
import { ruleTables } from '../../../kinds/rule-tables.ts';
import {
  create,
  patch,
  read,
  remove,
  update,
  type DifferentialCase,
  type DifferentialStep,
} from '../differential-case.ts';
import { awaitSettled } from './await-settled.ts';
import { findRuleKind, formatKindPath } from './rules.ts';

function readGolden(kind: RegisteredKind, name: string): JsonObject[] {
  const text = readFileSync(join(locateKind(kind), 'testdata', `${name}.json`), 'utf8');
  return (JSON.parse(text) as JsonObject[]).map((object) => ({ ...object, apiVersion: kind.apiVersion }));
}

function rename(object: JsonObject, metadata: JsonObject): JsonObject {
  return { ...object, metadata: { ...(object['metadata'] as JsonObject), ...metadata } };
}

/** Every verb on one object, and what each refuses. */
function makeLife(kind: RegisteredKind, golden: JsonObject): DifferentialStep[] {
  const path = formatKindPath(kind, '{{ns}}');
  const object = rename(resolveRuleObject(golden, 'k8s.io'), { name: '{{case}}' });
  const target = `${path}/{{case}}`;
  const settle = awaitSettled(kind.kind, target);
  // Controllers write too: the version is the one read right before.
  const atVersion = (step: number, more: JsonObject = {}): JsonObject =>
    rename(object, { resourceVersion: `{{${step}.metadata.resourceVersion}}`, ...more });
  return [
    create(`${path}?dryRun=All`, object),
    create(`${path}?fieldManager=maker`, object),
    settle,
    create(path, object),
    update(target, atVersion(3, { labels: { a: 'b' } })),
    update(target, atVersion(3, { labels: { a: 'c' } })),
    update(`${target}x`, atVersion(3)),
    update(target, rename(object, { labels: { a: 'd' } })),
    update(target, atVersion(3, { uid: 'another' })),
    settle,
    update(`${target}?dryRun=All`, atVersion(10, { annotations: { note: 'dry' } })),
    patch('merge', `${target}?fieldManager=merger`, { metadata: { labels: { m: 'n' }, annotations: { x: 'y' } } }),
    patch('strategic', target, { metadata: { labels: { m: null } } }),
    patch('json', target, [{ op: 'add', path: '/metadata/labels', value: { j: 'k' } }]),
    patch('json', target, [{ op: 'test', path: '/metadata/name', value: 'other' }]),
    patch('merge', target, { spec: { unknown: 1 } }, { headers: {} }),
    patch('merge', `${target}?fieldValidation=Strict`, { spec: { unknown: 1 } }),
    patch('apply', target, object),
    patch('apply', `${target}?fieldManager=applier`, rename(object, { labels: { j: 'other' } })),
    patch('apply', `${target}?fieldManager=applier&force=true`, rename(object, { labels: { j: 'other' } })),
    settle,
    ...(kind.namespaced ? [read(path)] : []),
    read(`${path}?labelSelector=j%3Dother`),
    read(`${path}?fieldSelector=metadata.name%3D{{case}}`),
    read(`${path}?fieldSelector=spec.unknown%3Da`),
    remove(target, { preconditions: { uid: 'another' } }),
    remove(`${target}?dryRun=All`),
    remove(target, { preconditions: { resourceVersion: '1' } }),
    remove(target),
    read(target),
    remove(target),
    patch('merge', target, { metadata: { labels: { a: 'b' } } }),
    patch('apply', `${target}?fieldManager=applier`, object),
    read(target, { compares: 'status' }),
    remove(target, { propagationPolicy: 'Foreground' }, { compares: 'status' }),
  ];
}

/** Reads and writes of the status alone; a kind without one answers that there is none. */
function makeStatusLife(kind: RegisteredKind, golden: JsonObject): DifferentialStep[] {
  const path = formatKindPath(kind, '{{ns}}');
  const object = rename(resolveRuleObject(golden, 'k8s.io'), { name: '{{case}}' });
  const target = `${path}/{{case}}`;
  return [
    create(path, object),
    awaitSettled(kind.kind, target),
    read(`${target}/status`),
    update(
      `${target}/status?dryRun=All`,
      rename({ ...object, spec: {} }, { resourceVersion: '{{2.metadata.resourceVersion}}' }),
    ),
    update(`${target}/status?dryRun=All`, rename(object, { labels: { status: 'writes' } })),
    patch('merge', `${target}/status?dryRun=All`, { metadata: { labels: { a: 'b' } }, spec: null }),
    patch('apply', `${target}/status?dryRun=All&fieldManager=applier`, {
      apiVersion: kind.apiVersion,
      kind: kind.kind,
      metadata: { name: '{{case}}', labels: { a: 'b' } },
    }),
    create(`${target}/status`, object),
    remove(`${target}/status`),
    read(`${target}/unknown`),
    remove(target, undefined, { compares: 'status' }),
  ];
}

/** Names that servers make, collections that go, and names that are none. */
function makeCollection(kind: RegisteredKind, golden: JsonObject): DifferentialStep[] {
  const path = formatKindPath(kind, '{{ns}}');
  const { name: _name, ...metadata } = golden['metadata'] as JsonObject;
  const labels = { collection: '{{case}}' };
  const make = (more: JsonObject): JsonObject => ({
    ...resolveRuleObject(golden, 'k8s.io'),
    metadata: { ...metadata, labels, ...more },
  });
  const settled = kind.kind === 'ResourceQuota' || kind.kind === 'FlowSchema' || kind.kind.startsWith('Validating');
  return [
    create(path, make({ generateName: '{{case}}-' })),
    create(path, make({ name: '{{case}}-0' })),
    create(`${path}?dryRun=All`, make({ name: 'Not A Name' })),
    create(`${path}?dryRun=All`, make({ name: 'a/b' })),
    create(`${path}?dryRun=All`, make({ name: 'a'.repeat(254) })),
    // What the server has added to the name is in the message.
    create(`${path}?dryRun=All`, make({ generateName: 'Not A Name-' }), {
      ignores: ['message', 'details.name', 'details.causes.1.message'],
    }),
    create(`${path}?dryRun=All`, make({})),
    create(`${path}?dryRun=All`, make({ name: 'a', namespace: 'another' })),
    create(`${path}?dryRun=All`, { ...make({ name: 'a' }), kind: 'Another' }),
    create(`${path}?dryRun=All`, { ...make({ name: 'a' }), apiVersion: 'example.com/v1' }),
    create(`${path}?dryRun=All`, make({ name: 'a', resourceVersion: '5', uid: 'b', generation: 7 })),
    create(`${path}?dryRun=All`, 'not json'),
    create(`${path}?dryRun=All`, '[]'),
    create(`${path}?dryRun=All`, ''),
    read(`${path}?labelSelector=collection%3D{{case}}&limit=1`, { compares: settled ? 'status' : 'all' }),
    remove(`${path}?labelSelector=collection%3D{{case}}`, undefined, { compares: 'status' }),
    read(`${path}?labelSelector=collection%3D{{case}}`),
  ];
}

/** What becomes of objects that say as little as possible, and of those that say all. */
function makeDefaults(kind: RegisteredKind): DifferentialStep[] {
  const path = formatKindPath(kind, '{{ns}}');
  const objects = [...readGolden(kind, 'minimal'), ...readGolden(kind, 'full')];
  return objects.flatMap((object, i) => {
    const named = rename(resolveRuleObject(object, 'k8s.io'), { name: `{{case}}-${i}` });
    return [
      create(path, named),
      awaitSettled(kind.kind, `${path}/{{case}}-${i}`),
      remove(`${path}/{{case}}-${i}`, undefined, { compares: 'status' }),
    ];
  });
}

/** The lives of objects of each of the nine kinds. */
export const lifeCases: readonly DifferentialCase[] = Object.keys(ruleTables).flatMap((name) => {
  const kind = findRuleKind(name);
  const [minimal, full] = [readGolden(kind, 'minimal').at(-1), readGolden(kind, 'full')[0]];
  if (minimal === undefined || full === undefined) throw new Error(`${name} has no golden objects`);
  return [
    { name: `life-${kind.singular}`, steps: makeLife(kind, full) },
    { name: `status-${kind.singular}`, steps: makeStatusLife(kind, full) },
    { name: `many-${kind.singular}`, steps: makeCollection(kind, minimal) },
    { name: `defaults-${kind.singular}`, steps: makeDefaults(kind) },
  ];
});
