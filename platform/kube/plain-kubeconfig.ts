import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import type { HostCredentials } from './host-credentials.ts';

/** A kubeconfig's current context, as far as it can be used without a plugin. */
export interface PlainKubeconfig {
  readonly server: string;
  readonly proxyUrl: string | undefined;
  /** Reads the files that it names. Throws when one cannot be read. */
  derive(): Promise<HostCredentials>;
}

type Members = Readonly<Record<string, unknown>>;

const clusterMembers: ReadonlySet<string> = new Set([
  'server',
  'certificate-authority',
  'certificate-authority-data',
  'insecure-skip-tls-verify',
  'tls-server-name',
  'proxy-url',
  'extensions',
]);
const userMembers: ReadonlySet<string> = new Set([
  'client-certificate',
  'client-certificate-data',
  'client-key',
  'client-key-data',
  'token',
  'tokenFile',
]);

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a list of the file holds under `name`; `undefined` when it is not there, or not of this form. */
function findNamed(raw: Members, list: string, member: string, name: unknown): Members | undefined {
  const items = raw[list];
  const found: unknown = Array.isArray(items)
    ? items.find((item: unknown) => isMembers(item) && item['name'] === name)
    : undefined;
  const value = isMembers(found) ? found[member] : undefined;
  return isMembers(value) ? value : undefined;
}

/** Whether all members are known ones with texts, apart from those that are set to nothing. */
function isPlain(members: Members, known: ReadonlySet<string>): boolean {
  return Object.entries(members).every(
    ([name, value]) =>
      value === null ||
      value === '' ||
      (known.has(name) && (typeof value === 'string' || typeof value === 'boolean' || name === 'extensions')),
  );
}

function readText(members: Members, name: string): string | undefined {
  const value = members[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * Reads the current context of a kubeconfig that has been parsed, when it needs nothing but certificates, keys, tokens and files;
 * `undefined` for any other, which a whole client must read. Relative paths are those in the folder of `file`.
 */
export function readPlainKubeconfig(raw: unknown, file: string): PlainKubeconfig | undefined {
  if (!isMembers(raw)) return undefined;
  const context = findNamed(raw, 'contexts', 'context', raw['current-context']);
  const cluster = context && findNamed(raw, 'clusters', 'cluster', context['cluster']);
  const user = context && findNamed(raw, 'users', 'user', context['user']);
  if (cluster === undefined || user === undefined) return undefined;
  if (!isPlain(cluster, clusterMembers) || !isPlain(user, userMembers)) return undefined;
  const server = readText(cluster, 'server');
  const proxyUrl = readText(cluster, 'proxy-url');
  if (server === undefined || !URL.canParse(server) || proxyUrl?.startsWith('socks') === true) return undefined;

  const locate = (path: string): string => (isAbsolute(path) ? path : join(dirname(file), path));
  const readPart = async (members: Members, name: string): Promise<Buffer | undefined> => {
    const data = readText(members, `${name}-data`);
    if (data !== undefined) return Buffer.from(data, 'base64');
    const path = readText(members, name);
    return path === undefined ? undefined : readFile(locate(path));
  };
  return {
    server: server.replace(/\/+$/, ''),
    proxyUrl,
    async derive() {
      const [ca, cert, key] = await Promise.all([
        readPart(cluster, 'certificate-authority'),
        readPart(user, 'client-certificate'),
        readPart(user, 'client-key'),
      ]);
      const tokenFile = readText(user, 'tokenFile');
      const token = tokenFile === undefined ? readText(user, 'token') : await readFile(locate(tokenFile), 'utf8');
      const servername = readText(cluster, 'tls-server-name');
      const headers: Record<string, string> = {};
      if (token !== undefined) headers['authorization'] = `Bearer ${token.trim()}`;
      const skipsVerification = cluster['insecure-skip-tls-verify'] === true || server.startsWith('http:');
      return {
        tls: {
          ...(ca === undefined ? {} : { ca }),
          ...(cert === undefined ? {} : { cert }),
          ...(key === undefined ? {} : { key }),
          ...(servername === undefined ? {} : { servername }),
          ...(skipsVerification ? { rejectUnauthorized: false } : {}),
        },
        headers,
      };
    },
  };
}
