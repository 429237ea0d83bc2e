import { writeFile } from 'node:fs/promises';

/** By what a client proves who it is. */
export type KubeconfigUser = { readonly token: string } | { readonly certificate: string; readonly key: string };

function encode(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** Writes a kubeconfig that verifies the server. */
export async function writeKubeconfig(file: string, url: string, ca: string, user: KubeconfigUser): Promise<void> {
  const identity =
    'token' in user
      ? { token: user.token }
      : { 'client-certificate-data': encode(user.certificate), 'client-key-data': encode(user.key) };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: url, 'certificate-authority-data': encode(ca) } }],
    users: [{ name: 'u', user: identity }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'c',
  };
  await writeFile(file, JSON.stringify(config), { mode: 0o600 });
}
