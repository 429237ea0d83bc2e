import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { claimUsageEvaluator } from '../persistent-volume-claim/plan-claim-usage.ts';
import { podUsageEvaluator } from '../pod/plan-pod-usage.ts';
import { planCharge, type QuotaState } from './plan-charge.ts';
import { planRefund } from './plan-status.ts';
import { readUsage, writeUsage } from './usage.ts';
import type { UsageEvaluator } from './usage-evaluator.ts';

const claims = claimUsageEvaluator as UsageEvaluator;
const pods = podUsageEvaluator as UsageEvaluator;

function makeQuota(hard: Record<string, string>, used: Record<string, string>, spec: object = {}): QuotaState {
  return { name: 'q', spec: { hard, ...spec }, hard: readUsage(hard), used: readUsage(used) };
}

function makeClaim(storage: string, status: object = {}, spec: object = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'c' },
    spec: { resources: { requests: { storage } }, ...spec },
    status,
  } as KubeObject;
}

function makePod(cpu: string): KubeObject {
  const containers = [{ name: 'c', resources: { requests: { cpu } } }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers } } as KubeObject;
}

describe('planCharge', () => {
  it('refuses while the use of a quota is unknown', () => {
    const quota = makeQuota({ pods: '5', 'count/pods': '5' }, { pods: '0' });
    const decision = planCharge([quota], pods, { operation: 'CREATE', object: makePod('1') }, 0);
    expect(decision.refusal).toBe('status unknown for quota: q, resources: count/pods,pods');
  });

  it('refuses use below zero', () => {
    const quota = makeQuota({ 'requests.cpu': '5' }, { 'requests.cpu': '0' });
    const decision = planCharge([quota], pods, { operation: 'CREATE', object: makePod('-1') }, 0);
    expect(decision.refusal).toBe('quota usage is negative for resource(s): cpu,requests.cpu');
  });

  it('charges an expansion under way with what has been given, and never refuses a status', () => {
    const quota = makeQuota({ 'requests.storage': '5Gi' }, { 'requests.storage': '5Gi' });
    const request = {
      operation: 'UPDATE',
      subresource: 'status',
      object: makeClaim('5Gi', { allocatedResources: { storage: '7Gi' } }),
      oldObject: makeClaim('5Gi'),
    } as const;
    const charge = planCharge([quota], claims, request, 0).charges?.get('q');
    expect(charge && writeUsage(charge)).toEqual({ 'requests.storage': '2Gi' });
  });

  it('charges all of a claim that a changed class brings into the scope', () => {
    const scopeSelector = {
      matchExpressions: [{ scopeName: 'VolumeAttributesClass', operator: 'In', values: ['fast'] }],
    };
    const quota = makeQuota({ 'requests.storage': '5Gi' }, { 'requests.storage': '0' }, { scopeSelector });
    const request = {
      operation: 'UPDATE',
      object: makeClaim('3Gi', {}, { volumeAttributesClassName: 'fast' }),
      oldObject: makeClaim('3Gi', {}, { volumeAttributesClassName: 'slow' }),
    } as const;
    const charge = planCharge([quota], claims, request, 0).charges?.get('q');
    expect(charge && writeUsage(charge)).toEqual({ 'requests.storage': '3Gi' });
  });

  it('charges nothing for an update that uses less', () => {
    const quota = makeQuota({ 'requests.storage': '5Gi' }, { 'requests.storage': '9Gi' });
    const request = { operation: 'UPDATE', object: makeClaim('3Gi'), oldObject: makeClaim('4Gi') } as const;
    expect(planCharge([quota], claims, request, 0).charges?.size).toBe(0);
  });
});

describe('planRefund', () => {
  it('takes back what is there, never below zero', () => {
    const used = readUsage({ pods: '3', cpu: '1', memory: '1Gi' });
    const charge = readUsage({ pods: '1', cpu: '2', services: '1' });
    expect(writeUsage(planRefund(used, charge))).toEqual({ pods: '2', cpu: '0', memory: '1Gi' });
  });
});
