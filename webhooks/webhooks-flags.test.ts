import { describe, expect, it } from 'vitest';
import { FlagError } from '../platform/process/parse-flags.ts';
import { readWebhooksConfig } from './webhooks-flags.ts';

const files = ['--certificate-file', '/c', '--key-file', '/k'];

describe('readWebhooksConfig', () => {
  it('reads a release', () => {
    expect(readWebhooksConfig(['--release', 'r', '--drain-seconds', '7'])).toEqual({
      ...{ domain: 'bailiwick.dev', kubeconfig: undefined, namespace: undefined, release: 'r', address: '127.0.0.1' },
      ...{ port: 9443, healthPort: 0, drainMillis: 7_000, logLevel: 'info', certificate: undefined },
      ...{ clientAuthorityFile: undefined, clientNames: [], pod: undefined, auditLog: undefined },
    });
  });

  it('reads files', () => {
    expect(readWebhooksConfig(files).certificate).toEqual({
      certificateFile: '/c',
      keyFile: '/k',
      authorityFile: undefined,
    });
  });

  it('reads the pod and the audit log', () => {
    const pod = ['--pod-name', 'p', '--pod-uid', 'u'];
    const log = ['--audit-log-path', '-', '--audit-log-maxage', '3'];
    expect(readWebhooksConfig(['--release', 'r', ...pod, ...log])).toMatchObject({
      pod: { name: 'p', uid: 'u' },
      auditLog: { file: '-', maxSizeMegabytes: 100, maxBackups: 10, maxAgeDays: 3 },
    });
  });

  it.for<[string[], string]>([
    [[], 'without --release'],
    [['--certificate-file', '/c'], 'go together'],
    [['--release', 'r', '--authority-file', '/a'], '--authority-file goes with'],
    [['--release', 'r', '--client-names', 'a'], '--client-names goes with'],
    [['--release', 'r', '--domain', 'k8s.io'], 'serves these groups itself'],
    [['--release', 'r', '--port', '70000'], '--port 70000'],
    [['--release', 'r', '--pod-name', 'p'], '--pod-name and --pod-uid go together'],
    [['--release', 'R'], '--release R'],
    [['--release', 'r', '--address', 'here'], 'must be an IP address'],
    [['--release', 'r', '--log-level', 'loud'], 'must be one of'],
  ])('refuses %j', ([args, text]) => {
    expect(() => readWebhooksConfig(args)).toThrow(FlagError);
    expect(() => readWebhooksConfig(args)).toThrow(text);
  });
});
