import { describe, expect, it } from 'vitest';
import { formatFieldError } from '../../core/errors/make-field-error.ts';
import type { JsonObject } from '../../core/meta/json.ts';
import { defaultCheckpointSettings } from '../checkpoint/checkpoint-settings.ts';
import { completeConfiguration, overrideConfiguration } from './merge-configuration.ts';
import { findConfigurationFaults, resolveConfiguration } from './resolve-configuration.ts';

function resolve(document: JsonObject) {
  return resolveConfiguration(completeConfiguration(document));
}

describe('resolveConfiguration', () => {
  it('has the defaults of the specification, which are those of the kubelet', () => {
    expect(resolve({})).toMatchObject({
      authentication: {
        x509: { clientCaFile: undefined },
        webhook: { enabled: true, cacheTtlMillis: 120_000 },
        anonymous: { enabled: false },
      },
      authorization: {
        mode: 'Webhook',
        webhook: { cacheAuthorizedTtlMillis: 300_000, cacheUnauthorizedTtlMillis: 30_000 },
      },
      containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
      imageServiceEndpoint: 'unix:///run/containerd/containerd.sock',
      runtimeRequestTimeoutMillis: 120_000,
      nodeStatusUpdateFrequencyMillis: 10_000,
      nodeStatusReportFrequencyMillis: 300_000,
      nodeLeaseDurationSeconds: 40,
      registerNode: true,
      maxPods: 110,
      podsPerCore: 0,
      evictionHard: {
        ...{ 'imagefs.available': '15%', 'imagefs.inodesFree': '5%', 'memory.available': '100Mi' },
        ...{ 'nodefs.available': '10%', 'nodefs.inodesFree': '5%' },
      },
      evictionPressureTransitionPeriodMillis: 300_000,
      kubeReserved: {},
      systemReserved: {},
      nftables: { skipKernelVersionCheck: false },
    });
  });

  it('listens for the machine alone, on a port that no kubelet has, until it is told otherwise', () => {
    expect(resolve({})).toMatchObject({ address: '127.0.0.1', port: 10_350, healthzPort: 0 });
  });

  it('has the settings of checkpoints that hold when nobody makes any', () => {
    expect(resolve({}).checkpoints).toEqual(defaultCheckpointSettings);
  });

  it('reads units, and zero as no bound', () => {
    const retention = { maxAge: '0s', node: { maxBytes: '1Gi', maxCount: 0 } };
    const { checkpoints, imageServiceEndpoint } = resolve({
      containerRuntimeEndpoint: '/run/a.sock',
      checkpoints: { minimumFreeBytes: '1048576', defaultTimeout: '1m30s', retention },
    });
    expect(imageServiceEndpoint).toBe('/run/a.sock');
    expect(checkpoints).toMatchObject({ minimumFreeBytes: 1_048_576, defaultTimeoutMillis: 90_000 });
    expect(checkpoints.minimumFreeShare).toBe(0);
    expect(resolve({ checkpoints: { minimumFreeBytes: '12.5%' } }).checkpoints).toMatchObject({
      ...{ minimumFreeBytes: 0, minimumFreeShare: 0.125 },
    });
    expect(checkpoints.retention).toMatchObject({
      maxAgeMillis: undefined,
      node: { maxCount: undefined, maxBytes: 1_073_741_824 },
    });
  });
});

describe('findConfigurationFaults', () => {
  it.for<[JsonObject, string[]]>([
    [{}, []],
    [{ address: 'here' }, ['address: Invalid value: "here": must be an IP address']],
    [{ tlsCertFile: '/c' }, ['tlsPrivateKeyFile: Required value: it goes with tlsCertFile']],
    [{ tlsPrivateKeyFile: '/k' }, ['tlsCertFile: Required value: it goes with tlsPrivateKeyFile']],
    [
      { containerRuntimeEndpoint: 'tcp://1.2.3.4:5', imageServiceEndpoint: 'unix:///x' },
      ['containerRuntimeEndpoint: Invalid value: "tcp://1.2.3.4:5": only support unix socket endpoint'],
    ],
    [
      { tlsCipherSuites: ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'TLS_NONE', 'ALL'] },
      [
        'tlsCipherSuites[1]: Invalid value: "TLS_NONE": Cipher suite TLS_NONE not supported or doesn\'t exist',
        'tlsCipherSuites[2]: Invalid value: "ALL": Cipher suite ALL not supported or doesn\'t exist',
      ],
    ],
    [
      { evictionHard: { 'memory.available': '-1' } },
      [expect.stringContaining('evictionHard[memory.available]: Invalid value: "-1": ')],
    ],
    [
      { kubeReserved: { cpu: 'x' }, systemReserved: { tea: '1' } },
      [
        expect.stringContaining('kubeReserved[cpu]: Invalid value: "x": '),
        expect.stringContaining('systemReserved[tea]: Invalid value: "1": '),
      ],
    ],
  ])('finds in %j: %j', ([document, faults]) => {
    expect(findConfigurationFaults(resolve(document)).map(formatFieldError)).toEqual(faults);
  });

  it('takes port 0 from a flag, for a free one', () => {
    const document = overrideConfiguration(completeConfiguration({}), [{ flag: '--port', path: ['port'], value: 0 }]);
    expect(findConfigurationFaults(resolveConfiguration(document))).toEqual([]);
  });
});
