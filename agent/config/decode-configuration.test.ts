import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { configSchema } from './config-schema.ts';
import { decodeConfiguration } from './decode-configuration.ts';

const identity = { apiVersion: 'agent.config.bailiwick.dev/v1beta1', kind: 'AgentConfiguration' };
const head = `apiVersion: ${identity.apiVersion}\nkind: ${identity.kind}\n`;

function decode(text: string) {
  return decodeConfiguration(Buffer.from(text), identity, '/etc/agent');
}

describe('decodeConfiguration', () => {
  it('reads YAML and JSON alike', () => {
    const document = { port: 1, authentication: { webhook: { cacheTTL: '1m30s' } }, featureGates: { AllAlpha: true } };
    expect(
      decode(`${head}port: 1\nauthentication: {webhook: {cacheTTL: 90s}}\nfeatureGates: {AllAlpha: true}`),
    ).toEqual({
      document,
    });
    expect(decode(JSON.stringify({ ...identity, ...document }))).toEqual({ document });
  });

  it('reads every type', () => {
    const text = `${head}
clusterDNS: [10.0.0.10, 10.0.0.11]
staticPodURLHeader: {Authorization: [a, b]}
evictionHard: {memory.available: 1Gi}
registerWithTaints: [{key: a, effect: NoSchedule}]
checkpoints: {minimumFreeBytes: 1048576, retention: {node: {maxBytes: 1.5Gi}}}
tlsCertFile: tls/agent.crt
staticPodPath: /etc/pods
`;
    expect(decode(text)).toEqual({
      document: {
        clusterDNS: ['10.0.0.10', '10.0.0.11'],
        staticPodURLHeader: { Authorization: ['a', 'b'] },
        evictionHard: { 'memory.available': '1Gi' },
        registerWithTaints: [{ key: 'a', effect: 'NoSchedule' }],
        checkpoints: { minimumFreeBytes: '1048576', retention: { node: { maxBytes: '1.5Gi' } } },
        tlsCertFile: '/etc/agent/tls/agent.crt',
        staticPodPath: '/etc/pods',
      },
    });
  });

  it('keeps null, which takes away what another file sets', () => {
    expect(decode(`${head}port: null\nfeatureGates: {AllAlpha: null}\nnftables:`)).toEqual({
      document: { port: null, featureGates: { AllAlpha: null }, nftables: null },
    });
  });

  it.for<[string, string[]]>([
    ['', ['is empty']],
    ['[]', ['must be an object']],
    ['a: [', [expect.stringContaining('yaml: ')]],
    [
      'port: 1',
      [`apiVersion: Required value: must be ${identity.apiVersion}`, `kind: Required value: must be ${identity.kind}`],
    ],
    [
      'apiVersion: v1\nkind: KubeletConfiguration',
      [
        `apiVersion: Unsupported value: "v1": supported values: "${identity.apiVersion}"`,
        `kind: Unsupported value: "KubeletConfiguration": supported values: "${identity.kind}"`,
      ],
    ],
    [`${head}ports: 1`, ['unknown field "ports"']],
    [`${head}authentication: {anonymous: {enabledd: true}}`, ['unknown field "authentication.anonymous.enabledd"']],
    [`${head}port: 1\nport: 2`, ['duplicate field "port"']],
    [`${head}__proto__: {}`, ['unknown field "__proto__"']],
    [`${head}port: "1"`, ['port: Invalid value: "1": must be an integer']],
    [`${head}port: 1.5`, ['port: Invalid value: 1.5: must be an integer']],
    [`${head}port: 65536`, ['port: Invalid value: 65536: must be between 1 and 65535, inclusive']],
    [`${head}port: -1`, ['port: Invalid value: -1: must be between 1 and 65535, inclusive']],
    [`${head}maxPods: 3000000000`, ['maxPods: Invalid value: 3000000000: must be between 0 and 2147483647, inclusive']],
    [`${head}address: 1`, ['address: Invalid value: 1: must be a string']],
    [`${head}authentication: true`, ['authentication: Invalid value: true: must be an object']],
    [`${head}serverTLSBootstrap: "yes"`, ['serverTLSBootstrap: Invalid value: "yes": must be a boolean']],
    [
      `${head}runtimeRequestTimeout: 120`,
      ['runtimeRequestTimeout: Invalid value: 120: must be a duration as a string, such as "1m30s"'],
    ],
    [
      `${head}runtimeRequestTimeout: 2 minutes`,
      ['runtimeRequestTimeout: Invalid value: "2 minutes": time: unknown unit " minutes" in duration "2 minutes"'],
    ],
    [`${head}runtimeRequestTimeout: -1s`, ['runtimeRequestTimeout: Invalid value: "-1s": must be positive']],
    [`${head}clusterDNS: 10.0.0.10`, ['clusterDNS: Invalid value: "10.0.0.10": must be a list']],
    [`${head}clusterDNS: [1]`, ['clusterDNS[0]: Invalid value: 1: must be a string']],
    [`${head}staticPodURLHeader: {A: b}`, ['staticPodURLHeader[A]: Invalid value: "b": must be a list']],
    [`${head}evictionHard: {a: 1}`, ['evictionHard[a]: Invalid value: 1: must be a string']],
    [`${head}featureGates: {Nope: true}`, ['featureGates[Nope]: Invalid value: true: unrecognized feature gate: Nope']],
    [
      `${head}featureGates: {NodeSwap: false}`,
      [
        'featureGates[NodeSwap]: Invalid value: false: cannot set feature gate NodeSwap to false, feature is locked to true',
      ],
    ],
    [
      `${head}authorization: {mode: RBAC}`,
      ['authorization.mode: Unsupported value: "RBAC": supported values: "AlwaysAllow", "Webhook"'],
    ],
    [
      `${head}checkpoints: {minimumFreeBytes: many}`,
      ['checkpoints.minimumFreeBytes: Invalid value: "many": must be a quantity, such as "10Gi"'],
    ],
    [
      `${head}checkpoints: {minimumFreeBytes: 101%}`,
      [
        'checkpoints.minimumFreeBytes: Invalid value: "101%": must be a quantity, such as "10Gi", or a share, such as "15%"',
      ],
    ],
    [
      `${head}checkpoints: {retention: {maxAge: -1h, pod: {maxCount: -1}}}`,
      [
        'checkpoints.retention.maxAge: Invalid value: "-1h": must not be negative',
        'checkpoints.retention.pod.maxCount: Invalid value: -1: must be between 0 and 2147483647, inclusive',
      ],
    ],
    [
      `${head}registerWithTaints: [{value: x, effect: Never, other: y}]`,
      [
        'unknown field "registerWithTaints[0].other"',
        'registerWithTaints[0].key: Required value',
        'registerWithTaints[0].effect: Unsupported value: "Never": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
      ],
    ],
    [
      `${head}registerWithTaints: [{key: a., value: b_, effect: NoExecute}]`,
      [
        expect.stringContaining('registerWithTaints[0].key: Invalid value: "a.": name part must consist of'),
        expect.stringContaining('registerWithTaints[0].value: Invalid value: "b_": a valid label must be'),
      ],
    ],
    [
      `${head}port: x\nnope: 1\nmaxPods: z`,
      [
        'port: Invalid value: "x": must be an integer',
        'unknown field "nope"',
        'maxPods: Invalid value: "z": must be an integer',
      ],
    ],
  ])('refuses %j, all faults at once', ([text, faults]) => {
    expect(decode(text)).toEqual({ faults });
  });

  it('takes or refuses whatever it is given, and throws nothing', () => {
    const names = fc.constantFrom(...Object.keys(configSchema.fields), '__proto__', 'constructor', 'x');
    const value = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.dictionary(names, fc.jsonValue({ maxDepth: 2 })));
    const document = fc.dictionary(names, value, { noNullPrototype: true });
    fc.assert(
      fc.property(document, (set) => {
        const result = decode(JSON.stringify({ ...identity, ...set }));
        expect('faults' in result ? result.faults.length : Object.keys(result.document).length).toBeGreaterThanOrEqual(
          Object.keys(set).length > 0 ? 1 : 0,
        );
      }),
    );
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void decode(`${head}${text}`)));
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(decodeConfiguration(bytes, identity, '/')).toHaveProperty('faults');
      }),
    );
  });

  it('refuses what is larger than an object may be', () => {
    expect(decode(`${head}#${'x'.repeat(3 * 1024 * 1024)}`)).toEqual({
      faults: ['must not be larger than 3145728 bytes'],
    });
  });
});
