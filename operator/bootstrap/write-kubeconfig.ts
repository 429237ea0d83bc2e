import { readFile } from 'node:fs/promises';
import { writeFileAtomically } from '../../platform/process/write-file-atomically.ts';
import type { KeyedCertificate } from '../../platform/certificates/make-certificate.ts';

/** What an administrator's kubeconfig holds. */
export interface KubeconfigContent {
  readonly serverUrl: string;
  /** PEM text of the authority of the serving certificate. */
  readonly authority: string;
  readonly client: KeyedCertificate;
}

function encodeBase64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}

/** The text of a kubeconfig with one cluster, one user and one context, all credentials embedded. */
function formatKubeconfig(content: KubeconfigContent): string {
  const lines = [
    'apiVersion: v1',
    'kind: Config',
    'clusters:',
    '- name: bailiwick',
    '  cluster:',
    `    server: ${JSON.stringify(content.serverUrl)}`,
    `    certificate-authority-data: ${encodeBase64(content.authority)}`,
    'users:',
    '- name: bailiwick-administrator',
    '  user:',
    `    client-certificate-data: ${encodeBase64(content.client.certificate)}`,
    `    client-key-data: ${encodeBase64(content.client.privateKey)}`,
    'contexts:',
    '- name: bailiwick',
    '  context:',
    '    cluster: bailiwick',
    '    user: bailiwick-administrator',
    'current-context: bailiwick',
    'preferences: {}',
    '',
  ];
  return lines.join('\n');
}

/** Writes the kubeconfig, readable by its owner only; leaves a file that already says the same untouched. */
export async function writeKubeconfig(file: string, content: KubeconfigContent): Promise<void> {
  const text = formatKubeconfig(content);
  const stored = await readFile(file, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
  if (stored !== text) await writeFileAtomically(file, text, 0o600);
}
