import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readOperatorConfig } from './operator-flags.ts';
import { controllerNames } from './select-controllers.ts';
import { defaultNodeLifecycleSettings } from '../controllers/node-lifecycle/node-lifecycle-settings.ts';
import { DomainChangeError, recordDomain } from './record-domain.ts';
import { formatServerUrl, listServingNames } from './serving-names.ts';
import { writeKubeconfig } from './write-kubeconfig.ts';

describe('readOperatorConfig', () => {
  it('has defaults', () => {
    expect(readOperatorConfig([])).toEqual({
      store: 'sqlite',
      dataDirectory: resolve('.bailiwick'),
      port: 6443,
      domain: 'bailiwick.dev',
      address: '127.0.0.1',
      tokenFile: undefined,
      audit: undefined,
      controllers: new Set(controllerNames),
      logLevel: 'info',
      nodeLifecycle: defaultNodeLifecycleSettings,
      totalSeats: 600,
      agentAuthorityFile: undefined,
    });
  });

  it('reads every flag', () => {
    const args = '--data-dir d --port=0 --domain k8s.io --address ::1 --token-auth-file t --log-level debug'.split(' ');
    args.push('--controllers=namespace-controller', '--agent-authority=a.pem');
    expect(readOperatorConfig(args)).toEqual({
      store: 'sqlite',
      dataDirectory: resolve('d'),
      port: 0,
      domain: 'k8s.io',
      address: '::1',
      tokenFile: resolve('t'),
      audit: undefined,
      controllers: new Set(['namespace-controller']),
      logLevel: 'debug',
      nodeLifecycle: defaultNodeLifecycleSettings,
      totalSeats: 600,
      agentAuthorityFile: resolve('a.pem'),
    });
  });

  it.for<[string, object]>([
    [
      '--audit-log-path a.log',
      { file: resolve('a.log'), policyFile: undefined, maxSizeMegabytes: 100, maxBackups: 10, maxAgeDays: 0 },
    ],
    [
      '--audit-log-path - --audit-policy-file p --audit-log-maxsize 1 --audit-log-maxbackup 0 --audit-log-maxage 7',
      { file: '-', policyFile: resolve('p'), maxSizeMegabytes: 1, maxBackups: 0, maxAgeDays: 7 },
    ],
  ])('reads how requests are recorded: %s', ([words, audit]) => {
    expect(readOperatorConfig(words.split(' '))).toMatchObject({ audit });
  });

  it('reads how nodes are watched', () => {
    const words =
      '--node-monitor-period 1s --node-monitor-grace-period=1m30s --node-startup-grace-period 2m --node-eviction-rate 0.5 ' +
      '--secondary-node-eviction-rate 0 --large-cluster-size-threshold 9 --unhealthy-zone-threshold 1 ' +
      '--node-taint-prefix node.kubernetes.io --default-not-ready-toleration-seconds 5 ' +
      '--default-unreachable-toleration-seconds 6';
    expect(readOperatorConfig(words.split(' ')).nodeLifecycle).toEqual({
      monitorPeriodMillis: 1_000,
      monitorGraceMillis: 90_000,
      startupGraceMillis: 120_000,
      evictionRate: 0.5,
      secondaryEvictionRate: 0,
      largeZoneSize: 9,
      unhealthyThreshold: 1,
      taintPrefix: 'node.kubernetes.io',
      notReadyTolerationSeconds: 5,
      unreachableTolerationSeconds: 6,
    });
  });

  it('watches nodes on a host only where it is told to', () => {
    expect(readOperatorConfig(['--store=crds'])).toMatchObject({ watchesNodes: false });
    expect(readOperatorConfig(['--store=crds', '--node-lifecycle=on'])).toMatchObject({ watchesNodes: true });
  });

  it('has node agents on a host only where it is told to', () => {
    expect(readOperatorConfig(['--store=crds'])).toMatchObject({ hasAgents: false });
    expect(readOperatorConfig(['--store=crds', '--agents=on'])).toMatchObject({ hasAgents: true });
  });

  it('has defaults on a host', () => {
    expect(readOperatorConfig(['--store=crds'])).toMatchObject({
      store: 'crds',
      kubeconfig: undefined,
      namespace: undefined,
      release: undefined,
      aggregatedPort: 0,
      healthPort: 0,
      webhooksUrl: undefined,
      impersonatedClientsFile: undefined,
      certificates: 'own',
    });
  });

  it('reads the flags of a host', () => {
    const words =
      '--store crds --kubeconfig k --namespace n --release r --aggregated-port 1 --health-port 2 --webhooks-url https://a:3/b ' +
      '--impersonate-clients-of c --certificates secret --authority-validity-seconds 5 --certificate-validity-seconds 4 ' +
      '--certificate-settle-seconds 3';
    expect(readOperatorConfig(words.split(' '))).toMatchObject({
      kubeconfig: resolve('k'),
      namespace: 'n',
      release: 'r',
      aggregatedPort: 1,
      healthPort: 2,
      webhooksUrl: 'https://a:3/b',
      impersonatedClientsFile: resolve('c'),
      certificates: 'secret',
      authorityValiditySeconds: 5,
      certificateValiditySeconds: 4,
      certificateSettleSeconds: 3,
    });
  });

  it('adds up how many requests are served at one time', () => {
    const words = '--max-requests-inflight 0 --max-mutating-requests-inflight 7'.split(' ');
    expect(readOperatorConfig(words).totalSeats).toBe(7);
  });

  it.for<[string, string]>([
    ['--port=65536', '--port 65536: must be a port, 0 to 65535'],
    ['--port=1e3', '--port 1e3: must be a port, 0 to 65535'],
    ['--address=localhost', '--address localhost: must be an IP address'],
    ['--log-level=loud', '--log-level loud: must be one of trace, debug, info, warn, error, fatal, silent'],
    ['--domain=Bad_Domain', '--domain Bad_Domain: a lowercase RFC 1123 subdomain must consist of'],
    ['--stores=crds', 'unknown flag --stores'],
    ['--max-requests-inflight=-1', '--max-requests-inflight -1: must be a number, 0 or more'],
    ['--max-requests-inflight=0 --max-mutating-requests-inflight=0', 'must add up to something positive'],
    ['--audit-log-path=a --audit-log-maxsize=0', '--audit-log-maxsize 0: must be a number, 1 or more'],
    ['--audit-policy-file=p', '--audit-policy-file: nothing is recorded without --audit-log-path'],
    ['--store=etcd', '--store etcd: must be one of sqlite, crds'],
    ['--kubeconfig=k', '--kubeconfig is only for --store crds'],
    ['--health-port=1', '--health-port is only for --store crds'],
    ['--store=crds --token-auth-file=t', '--token-auth-file is only for --store sqlite'],
    ['--store=crds --domain=k8s.io', '--domain k8s.io: a host serves the groups of this domain itself'],
    ['--store=crds --namespace=A', '--namespace A: a lowercase RFC 1123 label must consist of'],
    ['--store=crds --webhooks-url=http://a', '--webhooks-url http://a: must be an https:// URL'],
    ['--store=crds --certificates=none', '--certificates none: must be one of own, secret'],
    ['--node-monitor-period=5', '--node-monitor-period 5: time: missing unit in duration "5"'],
    ['--node-monitor-grace-period=0s', '--node-monitor-grace-period 0s: must be a duration from 1ms to 87600h'],
    ['--node-eviction-rate=-1', '--node-eviction-rate -1: must be a number, 0 to 1000'],
    ['--unhealthy-zone-threshold=2', '--unhealthy-zone-threshold 2: must be a number, 0 to 1'],
    ['--node-taint-prefix=a/b', '--node-taint-prefix a/b: a lowercase RFC 1123 subdomain'],
    ['--node-lifecycle=on', '--node-lifecycle is only for --store crds'],
    ['--store=crds --default-not-ready-toleration-seconds=1', 'is only for --store sqlite'],
    ['--store=crds --certificate-settle-seconds=0', '--certificate-settle-seconds 0: must be a number of seconds'],
  ])('refuses %s', ([words, message]) => {
    expect(() => readOperatorConfig(words.split(' '))).toThrow(message);
  });
});

describe('recordDomain', () => {
  it('refuses another domain than at the first start', async () => {
    const settings = new Map<string, string>();
    const store = {
      readSetting: (name: string) => settings.get(name),
      writeSetting: async (name: string, value: string) => void settings.set(name, value),
    };
    await recordDomain(store, 'a.example');
    await recordDomain(store, 'a.example');
    await expect(recordDomain(store, 'b.example')).rejects.toThrow(DomainChangeError);
  });
});

describe('formatServerUrl', () => {
  it.for<[string, string]>([
    ['127.0.0.1', 'https://127.0.0.1:6443'],
    ['0.0.0.0', 'https://127.0.0.1:6443'],
    ['::', 'https://[::1]:6443'],
    ['fd00::1', 'https://[fd00::1]:6443'],
  ])('of %s is %s', ([address, url]) => {
    expect(formatServerUrl(address, 6443)).toBe(url);
  });

  it('names only addresses that the certificate carries', () => {
    for (const address of ['127.0.0.1', '0.0.0.0', '::', 'fd00::1']) {
      const host = new URL(formatServerUrl(address, 1)).hostname.replace(/[[\]]/g, '');
      expect(listServingNames('host', address)).toContain(host);
    }
  });
});

describe('writeKubeconfig', () => {
  it('writes a file for its owner only, and leaves one that says the same', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
    try {
      const file = join(directory, 'kubeconfig');
      const client = { certificate: 'cert', privateKey: 'key' };
      await writeKubeconfig(file, { serverUrl: 'https://[::1]:1', authority: 'ca', client });
      const first = await stat(file);
      expect(first.mode & 0o777).toBe(0o600);
      expect(parse(await readFile(file, 'utf8'))).toMatchObject({
        'current-context': 'bailiwick',
        clusters: [{ cluster: { server: 'https://[::1]:1', 'certificate-authority-data': 'Y2E=' } }],
        users: [{ user: { 'client-certificate-data': 'Y2VydA==', 'client-key-data': 'a2V5' } }],
      });
      await writeKubeconfig(file, { serverUrl: 'https://[::1]:1', authority: 'ca', client });
      expect((await stat(file)).ino).toBe(first.ino);
      await writeKubeconfig(file, { serverUrl: 'https://[::1]:2', authority: 'ca', client });
      expect(await readFile(file, 'utf8')).toContain('https://[::1]:2');
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});
