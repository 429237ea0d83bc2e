import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

import { locateEtcd, locateKubernetes } from './control-plane-cache.ts';

/** Whether the file is there and may be run. */
export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether the command can be started and ends well. */
export function runs(command: string, ...words: readonly string[]): boolean {
  return spawnSync(command, words, { stdio: 'ignore' }).status === 0;
}

/** Why suites that need a real control plane cannot run on this machine; `undefined` when they can. */
export function clusterSkipReason(): string | undefined {
  if (!runs('openssl', 'version')) return 'a real control plane needs openssl, which is missing here';
  const kubernetes = locateKubernetes().bin;
  const programs = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'].map((name) =>
    join(kubernetes, name),
  );
  const built = [...programs, join(locateEtcd().bin, 'etcd')].every(isExecutable);
  if (!built && !runs('go', 'version')) return 'a real control plane is built with Go, which is missing here';
  return undefined;
}
