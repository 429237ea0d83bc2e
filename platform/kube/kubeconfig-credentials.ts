import type { KubeConfig } from '@kubernetes/client-node';
import { readFile, stat } from 'node:fs/promises';
import type { Agent } from 'node:http';
import type { RequestOptions } from 'node:https';
import { dirname, isAbsolute, join } from 'node:path';
import { parse } from 'yaml';
import type { Clock } from '../process/clock.ts';
import type { Logger } from '../process/logger.ts';
import type { HostCredentials, HostCredentialSource, HostTls } from './host-credentials.ts';
import { type PlainKubeconfig, readPlainKubeconfig } from './plain-kubeconfig.ts';

/** How often the file and what it names are looked at again. */
const rereadMillis = 60_000;
/** How often at most, when the host keeps refusing what was read. */
const refusedMillis = 10_000;

/** What a kubeconfig is read from. */
export interface KubeconfigOptions {
  readonly file: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface Loaded extends PlainKubeconfig {
  readonly modifiedMillis: number;
}

interface RawKubeconfig {
  readonly users?: readonly { readonly name?: string; readonly user?: { readonly tokenFile?: string } }[];
}

function findTokenFile(raw: RawKubeconfig, userName: string, file: string): string | undefined {
  const found = raw.users?.find(({ name }) => name === userName)?.user?.tokenFile;
  return found === undefined || isAbsolute(found) ? found : join(dirname(file), found);
}

/** Plugins are told how they are called; client-node leaves that out. */
function describeExecCall(config: KubeConfig): void {
  const exec = config.getCurrentUser()?.exec as
    { apiVersion?: string; env?: { name: string; value: string }[] | null } | null | undefined;
  if (!exec) return;
  const name = 'KUBERNETES_EXEC_INFO';
  const value = JSON.stringify({
    kind: 'ExecCredential',
    apiVersion: exec.apiVersion ?? 'client.authentication.k8s.io/v1',
    spec: { interactive: false },
  });
  exec.env = [...(exec.env ?? []).filter((entry) => entry.name !== name), { name, value }];
}

/** Reads by a whole client what needs one: plugins and the like. */
async function readByClient(text: string, raw: RawKubeconfig, file: string): Promise<PlainKubeconfig> {
  // Sixty megabytes that most programs never need.
  const { KubeConfig: Reader } = await import('@kubernetes/client-node');
  const config = new Reader();
  config.loadFromString(text);
  config.makePathsAbsolute(dirname(file));
  const cluster = config.getCurrentCluster();
  if (!cluster?.server) throw new Error('its current context names no cluster with a server');
  const server = new URL(cluster.server);
  // Otherwise client-node refuses a server without TLS, which `kubectl proxy` is.
  if (server.protocol === 'http:') config.clusters = config.clusters.map((each) => ({ ...each, skipTLSVerify: true }));
  describeExecCall(config);
  const proxyUrl = cluster.proxyUrl || undefined;
  const tokenFile = findTokenFile(raw, config.getCurrentUser()?.name ?? '', file);
  return {
    server: cluster.server.replace(/\/+$/, ''),
    proxyUrl,
    derive: () => derive(config, proxyUrl, tokenFile),
  };
}

async function load(file: string): Promise<Loaded> {
  const { mtimeMs } = await stat(file);
  const text = await readFile(file, 'utf8');
  const raw = (parse(text) ?? {}) as RawKubeconfig;
  const read = readPlainKubeconfig(raw, file) ?? (await readByClient(text, raw, file));
  return { ...read, modifiedMillis: mtimeMs };
}

function pickTls(options: RequestOptions): HostTls {
  const { ca, cert, key, servername, rejectUnauthorized } = options;
  return {
    ...(ca === undefined ? {} : { ca: ca as Buffer }),
    ...(cert === undefined ? {} : { cert: cert as Buffer }),
    ...(key === undefined ? {} : { key: key as Buffer }),
    ...(servername === undefined ? {} : { servername }),
    ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
  };
}

async function derive(
  config: KubeConfig,
  proxyUrl: string | undefined,
  tokenFile: string | undefined,
): Promise<HostCredentials> {
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.headers ?? {})) headers[name.toLowerCase()] = String(value);
  if (options.auth) headers['authorization'] = `Basic ${Buffer.from(options.auth).toString('base64')}`;
  if (tokenFile !== undefined) headers['authorization'] = `Bearer ${(await readFile(tokenFile, 'utf8')).trim()}`;
  const isSocks = proxyUrl?.startsWith('socks') === true;
  return { tls: pickTls(options), headers, ...(isSocks ? { agent: options.agent as Agent } : {}) };
}

/**
 * Credentials of a kubeconfig's current context: tokens, token files and client certificates, or whatever else `@kubernetes/client-node` reads.
 * The file is read again when it changed. Throws when it cannot be used.
 */
export async function readKubeconfigCredentials(options: KubeconfigOptions): Promise<HostCredentialSource> {
  const { file, clock, logger } = options;
  let loaded: Loaded;
  let current: HostCredentials;
  try {
    loaded = await load(file);
    current = await loaded.derive();
  } catch (error) {
    throw new Error(`the kubeconfig ${file} cannot be used`, { cause: error });
  }
  let readMillis = clock.now();
  let refused = false;
  let loading: Promise<void> | undefined;
  const renew = async (): Promise<void> => {
    try {
      const { mtimeMs } = await stat(file);
      // A refused plugin's credential lives in the reader's memory; only a new one asks the plugin again.
      if (refused || mtimeMs !== loaded.modifiedMillis) loaded = await load(file);
      refused = false;
      current = await loaded.derive();
    } catch (error) {
      logger.warn({ err: error }, 'the kubeconfig could not be read again');
    } finally {
      readMillis = clock.now();
      loading = undefined;
    }
  };
  return {
    server: loaded.server,
    ...(loaded.proxyUrl === undefined ? {} : { proxyUrl: loaded.proxyUrl }),
    async read() {
      if (clock.now() - readMillis >= rereadMillis) {
        loading ??= renew();
        await loading;
      }
      return current;
    },
    invalidate() {
      if (clock.now() - readMillis < refusedMillis) return;
      refused = true;
      readMillis = Number.NEGATIVE_INFINITY;
    },
  };
}
