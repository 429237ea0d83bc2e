import { randomBytes, X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { runProgram } from './run-program.ts';

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

async function issueAuthority(folder: string, name: string): Promise<void> {
  await runProgram(
    'openssl',
    [
      'req',
      '-x509',
      ...newKey,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.crt`,
      '-subj',
      `/CN=${name}`,
      '-days',
      '365',
    ],
    { cwd: folder },
  );
}

/** Writes `name.key` and `name.crt`, signed by `authority`, into the folder. `subject` is in OpenSSL's `/O=…/CN=…` form. */
async function issueCertificate(
  folder: string,
  authority: string,
  name: string,
  subject: string,
  usage: string,
  alternativeNames?: string,
): Promise<void> {
  await runProgram('openssl', ['req', ...newKey, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', subject], {
    cwd: folder,
  });
  const extensions = [`extendedKeyUsage=${usage}`, ...(alternativeNames ? [`subjectAltName=${alternativeNames}`] : [])];
  await writeFile(join(folder, `${name}.ext`), extensions.join('\n'));
  const serial = `0x${randomBytes(8).toString('hex')}`;
  await runProgram(
    'openssl',
    [
      ...['x509', '-req', '-in', `${name}.csr`, '-CA', `${authority}.crt`, '-CAkey', `${authority}.key`],
      ...['-set_serial', serial, '-out', `${name}.crt`, '-days', '365', '-extfile', `${name}.ext`],
    ],
    { cwd: folder },
  );
}

/**
 * Issues what a control plane needs into an existing folder: `ca`, `front-proxy-ca`, `apiserver`, `front-proxy` and `service-account`.
 * `names` are those of the API server, in OpenSSL's `IP:…` and `DNS:…` form.
 */
export async function issueClusterCertificates(folder: string, names: readonly string[]): Promise<void> {
  await Promise.all([issueAuthority(folder, 'ca'), issueAuthority(folder, 'front-proxy-ca')]);
  await Promise.all([
    issueCertificate(folder, 'ca', 'apiserver', '/CN=kube-apiserver', 'serverAuth', names.join(',')),
    issueCertificate(folder, 'front-proxy-ca', 'front-proxy', '/CN=front-proxy-client', 'clientAuth'),
    issueAuthority(folder, 'service-account'),
  ]);
  const certificate = new X509Certificate(await readFile(join(folder, 'service-account.crt')));
  await writeFile(
    join(folder, 'service-account.pub'),
    certificate.publicKey.export({ type: 'spki', format: 'pem' }) as string,
  );
}

/** Issues a client certificate by the cluster's CA, as `name.crt` and `name.key` in the folder; resolves to the PEM texts. */
export async function issueClientCertificate(
  folder: string,
  username: string,
  groups: readonly string[],
  name = `client-${randomBytes(4).toString('hex')}`,
): Promise<{ certificate: string; key: string }> {
  const subject = [...groups.map((group) => `/O=${group}`), `/CN=${username}`].join('');
  await issueCertificate(folder, 'ca', name, subject, 'clientAuth');
  return {
    certificate: await readFile(join(folder, `${name}.crt`), 'utf8'),
    key: await readFile(join(folder, `${name}.key`), 'utf8'),
  };
}
