import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { FlagError } from '../../platform/process/parse-flags.ts';
import { readAgentFlags } from './agent-flags.ts';

describe('readAgentFlags', () => {
  it('has the names and defaults of the specification', () => {
    expect(readAgentFlags([])).toEqual({
      rootDir: '/var/lib/bailiwick-agent',
      certDir: '/var/lib/bailiwick-agent/pki',
      configFile: undefined,
      configDir: undefined,
      nodeName: hostname().toLowerCase(),
      nodeIps: [],
      lockFile: undefined,
      exitOnLockContention: false,
      kubeconfig: undefined,
      mode: 'beside',
      domain: 'bailiwick.dev',
      namespace: undefined,
      logLevel: 'info',
      output: 'text',
      overrides: [],
    });
  });

  it('makes paths absolute', () => {
    const flags = readAgentFlags([
      ...['--root-dir', 'r', '--config', 'c', '--config-dir', 'd', '--lock-file', 'l', '--kubeconfig', 'k'],
      ...['--exit-on-lock-contention', '--client-ca-file', 'ca'],
    ]);
    const here = process.cwd();
    expect(flags).toMatchObject({
      ...{ rootDir: `${here}/r`, certDir: `${here}/r/pki`, configFile: `${here}/c`, configDir: `${here}/d` },
      ...{ lockFile: `${here}/l`, kubeconfig: `${here}/k`, exitOnLockContention: true },
      overrides: [{ flag: '--client-ca-file', path: ['authentication', 'x509', 'clientCAFile'], value: `${here}/ca` }],
    });
    expect(readAgentFlags(['--cert-dir', '/certs']).certDir).toBe('/certs');
  });

  it('takes the name of the node as a kubelet does', () => {
    expect(readAgentFlags(['--hostname-override', ' Node-1.Example ']).nodeName).toBe('node-1.example');
  });

  it('says what it sets of the configuration', () => {
    const { overrides } = readAgentFlags([
      ...['--port', '0', '--feature-gates', 'ContainerCheckpoint=false, AllAlpha=T', '--anonymous-auth'],
    ]);
    expect(overrides.map(({ path, value }) => [path.join('.'), value])).toEqual([
      ['port', 0],
      ['authentication.anonymous.enabled', true],
      ['featureGates.ContainerCheckpoint', false],
      ['featureGates.AllAlpha', true],
    ]);
  });

  it.for<[string[], string]>([
    [['--exit-on-lock-contention'], 'cannot exit on lock file contention: no lock file specified'],
    [['--port', '65536'], '--port 65536: must be a port'],
    [['--address', 'here'], '--address here: must be an IP address'],
    [['--node-ip', '10.0.0.1,10.0.0.2'], 'must not have two addresses of one family'],
    [['--node-ip', 'x'], 'must be an IP address'],
    [['--mode', 'both'], 'must be one of beside, owner'],
    [['--hostname-override', 'a_b'], '--hostname-override a_b: '],
    [['--domain', 'Not'], '--domain Not: '],
    [['--feature-gates', 'X=true'], 'unrecognized feature gate: X'],
    [['--feature-gates', 'ContainerCheckpoint'], 'malformed pair, expect string=bool'],
    [['--feature-gates', 'ContainerCheckpoint=maybe'], 'invalid value of ContainerCheckpoint: maybe'],
    [['--feature-gates', 'NodeSwap=false'], 'feature is locked to true'],
    [['--runtime-request-timeout', '5'], 'missing unit in duration'],
    [['--runtime-request-timeout', '0s'], 'must be positive'],
    [['--authorization-mode', 'RBAC'], 'must be one of AlwaysAllow, Webhook'],
    [['--no-such-flag'], 'unknown flag --no-such-flag'],
  ])('refuses %j', ([words, text]) => {
    expect(() => readAgentFlags(words)).toThrow(FlagError);
    expect(() => readAgentFlags(words)).toThrow(text);
  });
});
