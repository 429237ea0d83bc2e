import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Agent, request as sendHttps } from 'node:https';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { parse } from 'yaml';

const projectRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** A whole answer. `json` is the parsed body, `undefined` when it is not JSON. */
export interface ServiceResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of any kind, looked into by tests
  readonly json: any;
}

/** What goes with a request. An object as `body` is sent as JSON; `token` replaces the administrator's certificate, `anonymous` drops it. */
export interface RequestOptions {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly token?: string;
  readonly anonymous?: boolean;
}

/** A running API service in a process of its own. */
export interface Service {
  readonly url: string;
  readonly kubeconfig: string;
  readonly dataDir: string;
  readonly process: ChildProcess;
  /** What it printed on standard error so far. */
  readLog(): string;
  /** What it printed on standard output so far. */
  readOutput(): string;
  request(method: string, path: string, options?: RequestOptions): Promise<ServiceResponse>;
  /** Sends a request and returns the answer with its body still to be read, for watches. */
  open(method: string, path: string, options?: RequestOptions): Promise<IncomingMessage>;
  /** Ends it with SIGTERM and waits; removes its folder unless it was given one. Returns the exit code. */
  stop(): Promise<number | null>;
  /** Ends it with SIGKILL and waits; the folder stays. */
  kill(): Promise<void>;
}

export interface ServiceOptions {
  readonly domain?: string;
  /** Where it keeps its data; a new temporary folder when absent. */
  readonly dataDir?: string;
  readonly flags?: readonly string[];
  readonly environment?: Record<string, string>;
}

interface Runtime {
  readonly nodeFlags: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: Record<string, string> }[];
  readonly users: readonly { readonly user: Record<string, string> }[];
}

function decodeBase64(text: string | undefined): Buffer {
  return Buffer.from(text ?? '', 'base64');
}

async function readText(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) {
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What `npm start` runs the service with. */
async function readRuntime(): Promise<Runtime> {
  return JSON.parse(await readFile(join(projectRoot, 'operator/runtime.json'), 'utf8')) as Runtime;
}

/** Waits for the line that starts with `ready`; throws with the log when the process ends before. */
async function awaitReady(child: ChildProcess, readLog: () => string): Promise<void> {
  if (!child.stdout) {
    throw new Error('the service was started without a pipe for its output');
  }
  const lines = createInterface({ input: child.stdout });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`the service ended before it was ready:\n${readLog()}`);
  });
  const ready = new Promise<void>((resolve) => {
    lines.on('line', (line) => {
      if (line.startsWith('ready')) {
        resolve();
      }
    });
  });
  ended.catch(() => undefined);
  await Promise.race([ready, ended]);
}

/** Starts the API service as a person would, on a free port, and waits until it is ready. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'bailiwick-service-')));
  const flags = ['--data-dir', dataDir, '--port', '0', ...(options.domain ? ['--domain', options.domain] : [])];
  const program = join(projectRoot, 'operator/main.ts');
  const { nodeFlags, environment } = await readRuntime();
  const child = spawn(process.execPath, [...nodeFlags, program, ...flags, ...(options.flags ?? [])], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment, ...options.environment },
  });
  let log = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    log = (log + chunk.toString('utf8')).slice(-200_000);
  });
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  const exited = once(child, 'exit');
  try {
    await awaitReady(child, () => log);
  } catch (error) {
    if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    throw error;
  }

  const kubeconfig = join(dataDir, 'kubeconfig');
  const config = parse(await readFile(kubeconfig, 'utf8')) as Kubeconfig;
  const cluster = config.clusters[0]?.cluster ?? {};
  const user = config.users[0]?.user ?? {};
  const ca = decodeBase64(cluster['certificate-authority-data']);
  const url = cluster['server'] ?? '';
  const administrator = new Agent({
    keepAlive: true,
    ca,
    cert: decodeBase64(user['client-certificate-data']),
    key: decodeBase64(user['client-key-data']),
  });
  const stranger = new Agent({ keepAlive: true, ca });

  function open(method: string, path: string, given: RequestOptions = {}): Promise<IncomingMessage> {
    const raw = typeof given.body === 'string' || Buffer.isBuffer(given.body);
    const body = given.body === undefined || raw ? given.body : JSON.stringify(given.body);
    const headers: Record<string, string> = { accept: 'application/json', ...given.headers };
    if (body !== undefined) {
      headers['content-type'] ??= 'application/json';
      headers['content-length'] = String(Buffer.byteLength(body));
    }
    if (given.token !== undefined) {
      headers['authorization'] = `Bearer ${given.token}`;
    }
    const agent = given.token === undefined && !given.anonymous ? administrator : stranger;
    return new Promise((resolve, reject) => {
      const sent = sendHttps(new URL(path, url), { method, headers, agent }, resolve);
      sent.on('error', reject);
      sent.end(body);
    });
  }

  async function request(method: string, path: string, given?: RequestOptions): Promise<ServiceResponse> {
    const message = await open(method, path, given);
    const text = await readText(message);
    return { status: message.statusCode ?? 0, headers: message.headers, text, json: parseJsonOrUndefined(text) };
  }

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    administrator.destroy();
    stranger.destroy();
    child.kill(signal);
    await exited;
    return child.exitCode;
  }

  return {
    url,
    kubeconfig,
    dataDir,
    process: child,
    readLog: () => log,
    readOutput: () => output,
    open,
    request,
    async stop() {
      const code = await end('SIGTERM');
      if (options.dataDir === undefined) {
        await rm(dataDir, { recursive: true, force: true });
      }
      return code;
    },
    async kill() {
      await end('SIGKILL');
    },
  };
}
