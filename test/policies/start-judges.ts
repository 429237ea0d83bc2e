import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCluster } from '../cluster/start-cluster.ts';
import { startService } from '../service/start-service.ts';
import { AuditTrail } from './audit-trail.ts';
import type { PolicyServer } from './judge-requests.ts';

/** What is recorded of requests unless a suite says otherwise. */
const writesOnly = [
  { level: 'None', verbs: ['get', 'list', 'watch'] },
  { level: 'None', users: ['system:apiserver'] },
  { level: 'Metadata' },
];

/** A server with an audit log; `stop` ends it and removes what it kept. */
export interface Judge extends PolicyServer {
  stop(): Promise<void>;
}

async function prepareAudit(rules: readonly object[]): Promise<{ folder: string; flags: string[]; trail: AuditTrail }> {
  const folder = await mkdtemp(join(tmpdir(), 'bailiwick-audit-'));
  const policy = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules };
  await writeFile(join(folder, 'policy.yaml'), JSON.stringify(policy));
  const log = join(folder, 'audit.log');
  return {
    folder,
    flags: [`--audit-policy-file=${join(folder, 'policy.yaml')}`, `--audit-log-path=${log}`],
    trail: new AuditTrail(log),
  };
}

/** Starts a real control plane whose own plugin judges, and whose own controller checks types; `rules` are those of its audit policy. */
export async function startRealJudge(rules: readonly object[] = writesOnly): Promise<Judge> {
  const { folder, flags, trail } = await prepareAudit(rules);
  const cluster = await startCluster({
    apiServerFlags: flags,
    controllerManager: true,
    controllerManagerFlags: ['--controllers=validatingadmissionpolicy-status-controller'],
  });
  return {
    request: (method, path, options) => cluster.request(method, path, options),
    trail,
    stop: async () => {
      await cluster.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Starts the embedded service under the groups of Kubernetes, with an administrator of the same name as the real one's. */
export async function startOwnJudge(rules: readonly object[] = writesOnly): Promise<Judge> {
  const { folder, flags, trail } = await prepareAudit(rules);
  const tokens = join(folder, 'tokens.csv');
  await writeFile(tokens, 'token,admin,admin,"system:masters"\n');
  const service = await startService({ domain: 'k8s.io', flags: [...flags, `--token-auth-file=${tokens}`] });
  return {
    request: async (method, path, options) => {
      const given = { authorization: 'Bearer token', ...options?.headers };
      const request = { ...options, headers: given, anonymous: true };
      const { status, headers, json, text } = await service.request(method, path, request);
      return { status, headers, body: json ?? text };
    },
    trail,
    stop: async () => {
      await service.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
