import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serviceAccountFolder } from '../kube/in-cluster-credentials.ts';

/** The namespace of the pod that this program runs in; `default` outside of one. */
export async function findReleaseNamespace(folder = serviceAccountFolder): Promise<string> {
  try {
    return (await readFile(join(folder, 'namespace'), 'utf8')).trim() || 'default';
  } catch {
    return 'default';
  }
}
