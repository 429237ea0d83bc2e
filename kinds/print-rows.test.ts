import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../core/meta/kube-object.ts';
import { policyKinds } from './registry.ts';

const metadata = { name: 'a', creationTimestamp: '2026-01-01T00:00:00Z' };
const nowMillis = Date.UTC(2026, 0, 1, 0, 3);

function print(name: string, object: object): Record<string, unknown> {
  const kind = policyKinds.find((candidate) => candidate.kind === name);
  if (kind === undefined) throw new Error(`no kind ${name}`);
  const cells = kind.printRow({ metadata, ...object } as unknown as KubeObject, nowMillis);
  expect(cells.length).toBe(kind.columns.length);
  return Object.fromEntries(kind.columns.map((column, i) => [column.name, cells[i]]));
}

const paths = { http: { paths: [] } };
const backend = { service: { name: 'web', port: { number: 80 } } };

describe('kubectl get', () => {
  it.for<[string, string, object, Record<string, unknown>]>([
    [
      'ResourceQuota',
      'use and limit, those of limits apart',
      {
        spec: {},
        status: { hard: { pods: '4', 'limits.cpu': '2', cpu: '1' }, used: { pods: '1', 'limits.cpu': '500m' } },
      },
      { Name: 'a', Request: 'cpu: 0/1, pods: 1/4', Limit: 'limits.cpu: 500m/2', Age: '3m' },
    ],
    [
      'ResourceQuota',
      'nothing before the first status',
      { spec: {}, status: {} },
      { Name: 'a', Request: '', Limit: '', Age: '3m' },
    ],
    ['LimitRange', 'the time of creation', { spec: {} }, { Name: 'a', 'Created At': '2026-01-01T00:00:00Z' }],
    [
      'NetworkPolicy',
      'the selector',
      { spec: { podSelector: { matchLabels: { b: 'c', a: 'b' } } } },
      { Name: 'a', 'Pod-Selector': 'a=b,b=c', Age: '3m' },
    ],
    ['NetworkPolicy', 'no selector', { spec: { podSelector: {} } }, { Name: 'a', 'Pod-Selector': '<none>', Age: '3m' }],
    [
      'Ingress',
      'class, hosts, addresses and ports',
      {
        spec: {
          ingressClassName: 'c',
          tls: [{}],
          rules: ['x', 'y', 'z', 'w', 'v'].map((host) => ({ host, ...paths })),
        },
        status: {
          loadBalancer: { ingress: [{ ip: '10.0.0.2' }, { hostname: 'lb' }, { ip: '10.0.0.1', hostname: 'no' }] },
        },
      },
      {
        Name: 'a',
        Class: 'c',
        Hosts: 'x,y,z + 2 more...',
        Address: '10.0.0.1,10.0.0.2,lb',
        Ports: '80, 443',
        Age: '3m',
      },
    ],
    [
      'Ingress',
      'every host when there is none',
      { spec: { defaultBackend: backend }, status: { loadBalancer: {} } },
      { Name: 'a', Class: '<none>', Hosts: '*', Address: '', Ports: '80', Age: '3m' },
    ],
    [
      'PodDisruptionBudget',
      'the bound that is set',
      { spec: { minAvailable: '50%' }, status: { disruptionsAllowed: 2 } },
      { Name: 'a', 'Min Available': '50%', 'Max Unavailable': 'N/A', 'Allowed Disruptions': 2, Age: '3m' },
    ],
    [
      'PodDisruptionBudget',
      'numbers as text',
      { spec: { maxUnavailable: 0 }, status: { disruptionsAllowed: 0 } },
      { Name: 'a', 'Min Available': 'N/A', 'Max Unavailable': '0', 'Allowed Disruptions': 0, Age: '3m' },
    ],
    [
      'FlowSchema',
      'level, precedence, method and whether the level is missing',
      {
        spec: {
          priorityLevelConfiguration: { name: 'p' },
          matchingPrecedence: 9,
          distinguisherMethod: { type: 'ByUser' },
        },
        status: { conditions: [{ type: 'Dangling', status: 'True', lastTransitionTime: null }] },
      },
      {
        Name: 'a',
        PriorityLevel: 'p',
        MatchingPrecedence: 9,
        DistinguisherMethod: 'ByUser',
        Age: '3m',
        MissingPL: 'True',
      },
    ],
    [
      'FlowSchema',
      'a question mark before the first status',
      { spec: { priorityLevelConfiguration: { name: 'p' }, matchingPrecedence: 9 }, status: {} },
      {
        Name: 'a',
        PriorityLevel: 'p',
        MatchingPrecedence: 9,
        DistinguisherMethod: '<none>',
        Age: '3m',
        MissingPL: '?',
      },
    ],
    [
      'PriorityLevelConfiguration',
      'queues',
      {
        spec: {
          type: 'Limited',
          limited: {
            nominalConcurrencyShares: 0,
            limitResponse: { type: 'Queue', queuing: { queues: 2, handSize: 1, queueLengthLimit: 3 } },
          },
        },
      },
      {
        Name: 'a',
        Type: 'Limited',
        NominalConcurrencyShares: 0,
        Queues: 2,
        HandSize: 1,
        QueueLengthLimit: 3,
        Age: '3m',
      },
    ],
    [
      'PriorityLevelConfiguration',
      'nothing of the exempt level',
      { spec: { type: 'Exempt', exempt: {} } },
      {
        Name: 'a',
        Type: 'Exempt',
        NominalConcurrencyShares: '<none>',
        Queues: '<none>',
        HandSize: '<none>',
        QueueLengthLimit: '<none>',
        Age: '3m',
      },
    ],
    [
      'ValidatingAdmissionPolicy',
      'the kind of the parameters',
      { spec: { validations: [{ expression: 'true' }], paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } } },
      { Name: 'a', Validations: 1, ParamKind: 'v1/ConfigMap', Age: '3m' },
    ],
    [
      'ValidatingAdmissionPolicy',
      'no parameters',
      { spec: {} },
      { Name: 'a', Validations: 0, ParamKind: '<unset>', Age: '3m' },
    ],
    [
      'ValidatingAdmissionPolicyBinding',
      'a parameter of any namespace',
      { spec: { policyName: 'p', paramRef: { name: 'x' } } },
      { Name: 'a', PolicyName: 'p', ParamRef: '*/x', Age: '3m' },
    ],
    [
      'ValidatingAdmissionPolicyBinding',
      'a parameter of a namespace',
      { spec: { policyName: 'p', paramRef: { name: 'x', namespace: 'n' } } },
      { Name: 'a', PolicyName: 'p', ParamRef: 'n/x', Age: '3m' },
    ],
    [
      'ValidatingAdmissionPolicyBinding',
      'no parameters',
      { spec: { policyName: 'p' } },
      { Name: 'a', PolicyName: 'p', ParamRef: '<unset>', Age: '3m' },
    ],
  ])('of %s shows %s', ([name, , object, row]) => {
    expect(print(name, object)).toEqual(row);
  });
});
