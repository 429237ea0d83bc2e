import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { findCondition, isConditionTrue, withCondition } from './conditions.ts';
import type { CustomResourceDefinition, DefinedNames } from './custom-resource-definition.ts';
import { describeCaBundleFault } from './describe-ca-bundle-fault.ts';
import { planApiApproval } from './plan-api-approval.ts';
import { planEstablishing } from './plan-establishing.ts';
import { planNames } from './plan-names.ts';
import { cleanupFinalizer, holdDefinition, planCleanup, planTermination } from './plan-termination.ts';

const now = Date.UTC(2030, 0, 1);
const moment = '2030-01-01T00:00:00Z';

function make(names: Partial<DefinedNames>, status: CustomResourceDefinition['status'] = {}): CustomResourceDefinition {
  const spec = {
    group: 'example.com',
    names: { plural: 'as', singular: 'a', kind: 'A', listKind: 'AList', ...names },
    scope: 'Cluster',
    versions: [],
  };
  return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: {}, spec, status };
}

/** A definition that has what it wants. */
function accepted(names: Partial<DefinedNames>): CustomResourceDefinition {
  const definition = make(names);
  return { ...definition, status: { acceptedNames: definition.spec.names } };
}

const others = { plural: 'bs', singular: 'b', kind: 'B', listKind: 'BList' };

describe('planNames', () => {
  it('gives a first definition its names', () => {
    expect(planNames(make({ shortNames: ['x'], categories: ['all'] }), [], now)).toEqual({
      acceptedNames: {
        ...{ plural: 'as', singular: 'a', kind: 'A', listKind: 'AList' },
        ...{ shortNames: ['x'], categories: ['all'] },
      },
      conditions: [
        ...[{ type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }],
        {
          ...{ type: 'Established', status: 'False', reason: 'Installing' },
          message: 'the initial names have been accepted',
        },
      ].map((condition) => ({ ...condition, lastTransitionTime: moment })),
    });
  });

  it.for<[name: string, wanted: Partial<DefinedNames>, other: Partial<DefinedNames>, reason: string, message: string]>([
    ['a plural', {}, { ...others, plural: 'as' }, 'PluralConflict', '"as" is already in use'],
    ['a plural that is a singular', {}, { ...others, singular: 'as' }, 'PluralConflict', '"as" is already in use'],
    ['a singular', {}, { ...others, shortNames: ['a'] }, 'SingularConflict', '"a" is already in use'],
    ['a short name', { shortNames: ['x', 'b'] }, others, 'ShortNamesConflict', '"b" is already in use'],
    [
      ...['several short names', { shortNames: ['bs', 'x', 'b'] }, others, 'ShortNamesConflict'],
      '["bs" is already in use, "b" is already in use]',
    ] as never,
    ['a kind', {}, { ...others, listKind: 'A' }, 'KindConflict', '"A" is already in use'],
    ['a kind of lists', {}, { ...others, kind: 'AList' }, 'ListKindConflict', '"AList" is already in use'],
    [
      ...['the last of several', {}, { ...others, plural: 'as', kind: 'A' }, 'KindConflict', '"A" is already in use'],
    ] as never,
  ])('refuses %s that another definition has', ([, wanted, other, reason, message]) => {
    const status = planNames(make(wanted), [accepted(other)], now);
    expect(status?.conditions?.[0]).toMatchObject({ type: 'NamesAccepted', status: 'False', reason, message });
    expect(status?.conditions?.[1]).toMatchObject({ type: 'Established', status: 'False', reason: 'NotAccepted' });
  });

  it('gives what is free of several names', () => {
    const status = planNames(make({ shortNames: ['x', 'b'] }), [accepted(others)], now);
    expect(status?.acceptedNames).toEqual({ plural: 'as', singular: 'a', kind: 'A', listKind: 'AList' });
  });

  it('lets groups have the same names', () => {
    const other = accepted({});
    const status = planNames(make({}), [{ ...other, spec: { ...other.spec, group: 'example.org' } }], now);
    expect(status?.conditions?.[0]?.status).toBe('True');
  });

  it('says nothing when the names are accepted, or the conflict is known', () => {
    expect(planNames(accepted({}), [accepted({})], now)).toBeUndefined();
    const blocked = make({ plural: 'bs' });
    const status = planNames(blocked, [accepted(others)], now);
    expect(planNames({ ...blocked, status: status ?? {} }, [accepted(others)], now + 1000)).toBeUndefined();
  });

  it('keeps a kind established while it waits for another name, and its own short names', () => {
    const served = accepted({ shortNames: ['x'] });
    const established = { type: 'Established', status: 'True' as const, reason: 'InitialNamesAccepted' };
    const definition = {
      ...make({ singular: 'b', shortNames: ['x', 'y'] }),
      status: withCondition(served.status ?? {}, established, now),
    };
    const status = planNames(definition, [definition, accepted(others)], now + 1000);
    expect(status?.acceptedNames).toMatchObject({ singular: 'a', shortNames: ['x', 'y'] });
    expect(findCondition({ status: status ?? {} }, 'NamesAccepted')?.reason).toBe('SingularConflict');
    expect(isConditionTrue({ status: status ?? {} }, 'Established')).toBe(true);
  });
});

describe('planEstablishing', () => {
  const named = (conversion: CustomResourceDefinition['spec']['conversion']): CustomResourceDefinition => {
    const definition = make({});
    const status = planNames(definition, [], now) ?? {};
    return { ...definition, spec: { ...definition.spec, ...(conversion && { conversion }) }, status };
  };
  const webhook = (caBundle: string): CustomResourceDefinition['spec']['conversion'] => ({
    strategy: 'Webhook',
    webhook: { clientConfig: { url: 'https://a', caBundle }, conversionReviewVersions: ['v1'] },
  });

  it.for([
    ['a definition that converts nothing', undefined, 'True', 'InitialNamesAccepted'],
    ['a webhook that everybody trusts', webhook(''), 'True', 'InitialNamesAccepted'],
    ['a webhook whose certificates are none', webhook('eA=='), 'False', 'InvalidCABundle'],
  ] as const)('of %s', ([, conversion, status, reason]) => {
    const planned = planEstablishing(named(conversion), now);
    expect(planned?.conditions?.find(({ type }) => type === 'Established')).toMatchObject({ status, reason });
    expect(planEstablishing({ ...make({}), ...named(conversion), status: planned ?? {} }, now)).toBeUndefined();
  });

  it('waits for the names', () => {
    expect(planEstablishing(make({}), now)).toBeUndefined();
  });
});

describe('describeCaBundleFault', () => {
  const authority = readFileSync(new URL('testdata/authority.pem', import.meta.url), 'utf8');
  const problem = 'unable to load root certificates';

  it.for<[name: string, bundle: string, fault: string | undefined]>([
    ['nothing', '', undefined],
    ['a certificate', authority, undefined],
    ['a certificate among other text', `hello\n${authority}\nbye`, undefined],
    ['no PEM', 'x', `${problem}: unable to parse bytes as PEM block`],
    ['another block', authority.replaceAll('CERTIFICATE', 'X'), `${problem}: no valid certificate authority data seen`],
    [
      ...['a certificate cut short', authority.replace(/\n[^\n]*\n-----END/, '\n-----END')],
      `${problem}: failed to parse certificate: x509: malformed certificate`,
    ] as never,
  ])('of %s', ([, bundle, fault]) => {
    expect(describeCaBundleFault(btoa(bundle))).toBe(fault);
  });

  const unparsed = `${problem}: unable to parse bytes as PEM block`;
  it.for<[name: string, bundle: string, fault: string | undefined]>([
    ['lines that begin a certificate before it', `${'-----BEGIN CERTIFICATE-----\n'.repeat(3)}${authority}`, undefined],
    ['another end before it', `-----END X-----\n${authority}`, undefined],
    ['a certificate with line feeds of Windows', authority.replaceAll('\n', '\r\n'), undefined],
    ['a certificate that ends as another block', authority.replace('END CERTIFICATE', 'END X'), unparsed],
    [
      ...[
        'a certificate with headers',
        authority.replace('BEGIN CERTIFICATE-----\n', 'BEGIN CERTIFICATE-----\na: b\n\n'),
      ],
      `${problem}: no valid certificate authority data seen`,
    ] as never,
    ['a begin within a line', `x${authority}`, unparsed],
    ['begins without an end', '-----BEGIN A-----\n'.repeat(150_000), unparsed],
    ['ends without a begin', '-----END A-----\n'.repeat(150_000), unparsed],
    ['blocks that end as others', '-----BEGIN A-----\n-----END B-----\n'.repeat(80_000), unparsed],
    ['headers alone', '-----BEGIN A-----\na:b\n\n-----END A-----:\n'.repeat(60_000), unparsed],
  ])('of %s, in time', { timeout: 60_000 }, ([, bundle, fault]) => {
    const before = process.threadCpuUsage();
    expect(describeCaBundleFault(btoa(bundle))).toBe(fault);
    expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(5_000);
  });
});

describe('planApiApproval', () => {
  const inGroup = (group: string, annotation?: string): CustomResourceDefinition => {
    const definition = make({});
    const annotations: Record<string, string> =
      annotation === undefined ? {} : { 'api-approved.kubernetes.io': annotation };
    return { ...definition, metadata: { annotations }, spec: { ...definition.spec, group } };
  };

  it.for([
    ['', 'False', 'MissingAnnotation'],
    ['unapproved, for a test', 'False', 'UnapprovedAnnotation'],
    ['https://example.com/1', 'True', 'ApprovedAnnotation'],
    ['perhaps', 'False', 'InvalidAnnotation'],
  ] as const)('of "%s" says %s', ([annotation, status, reason]) => {
    const definition = inGroup('x.k8s.io', annotation);
    const planned = planApiApproval(definition, now);
    const type = 'KubernetesAPIApprovalPolicyConformant';
    expect(planned?.conditions).toMatchObject([{ type, status, reason }]);
    expect(planApiApproval({ ...definition, status: planned ?? {} }, now)).toBeUndefined();
  });

  it('is not asked for groups of others', () => {
    expect(planApiApproval(inGroup('example.com'), now)).toBeUndefined();
  });
});

describe('the end of a definition', () => {
  it('holds a definition that is deleted, once', () => {
    const definition = make({});
    holdDefinition(definition, now);
    holdDefinition(definition, now + 1000);
    expect(definition.metadata.finalizers).toEqual([cleanupFinalizer]);
    expect(definition.status?.conditions).toEqual([
      {
        ...{ type: 'Terminating', status: 'True', reason: 'InstanceDeletionPending', lastTransitionTime: moment },
        message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
      },
    ]);
  });

  it.for([
    ['pending', 'True', 'InstanceDeletionPending'],
    ['inProgress', 'True', 'InstanceDeletionInProgress'],
    ['listFailed', 'True', 'InstanceDeletionFailed'],
    ['deletionFailed', 'True', 'InstanceDeletionFailed'],
    ['remaining', 'True', 'InstanceDeletionCheck'],
    ['completed', 'False', 'InstanceDeletionCompleted'],
  ] as const)('says that it is %s', ([stage, status, reason]) => {
    const planned = planTermination(make({}), { stage, failure: 'because' }, now);
    expect(planned.conditions).toMatchObject([{ type: 'Terminating', status, reason }]);
  });

  it('asks for nothing before the deletion and after the release', () => {
    expect(planCleanup(make({}), now)).toBeUndefined();
    expect(planCleanup({ ...make({}), metadata: { deletionTimestamp: moment } }, now)).toBeUndefined();
  });

  it('removes the objects of a kind that was served, and releases one that never was', () => {
    const metadata = { deletionTimestamp: moment, finalizers: [cleanupFinalizer] };
    const established = withCondition({}, { type: 'Established', status: 'True' }, now);
    expect(planCleanup({ ...make({}, established), metadata }, now)).toEqual({ step: 'removeObjects' });
    expect(planCleanup({ ...make({}), metadata }, now)).toMatchObject({
      ...{ step: 'release' },
      status: { conditions: [{ type: 'Terminating', status: 'False', reason: 'NeverEstablished' }] },
    });
  });
});
