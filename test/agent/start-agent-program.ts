import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent, request as sendHttps } from 'node:https';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type KeyedCertificate, makeCertificate } from '../../platform/certificates/make-certificate.ts';

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
/** Programs that are installed have one that is filled. */
const compileCache = join(projectRoot, 'node_modules/.cache/compile');
const dayMillis = 86_400_000;

/** How to start the node agent. */
export interface AgentProgramOptions {
  /** Its base directory, which stays; absent: a new one that goes with the program. */
  readonly rootDir?: string;
  /** Beside `--root-dir`, `--port 0`, `--hostname-override` and `--client-ca-file`. */
  readonly flags?: readonly string[];
  /** Name of the node; absent: `node-1`. */
  readonly nodeName?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Authority of client certificates; absent: a new one. */
  readonly authority?: KeyedCertificate;
  /** Whether it gets no `--client-ca-file`. */
  readonly hasNoClientAuthority?: boolean;
}

/** A whole answer. `json` is the parsed body, `undefined` when it is not JSON. */
export interface AgentResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of any kind, looked into by tests
  readonly json: any;
}

/** What goes with a request; absent `user`: the administrator, whose certificate the agent's client authority signed. */
export interface AgentRequestOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: string;
  /** `undefined` given outright: nobody. */
  readonly user?: KeyedCertificate | undefined;
  readonly body?: string;
}

/** The node agent in a process of its own. */
export interface AgentRun {
  readonly url: string;
  readonly rootDir: string;
  readonly nodeName: string;
  readonly process: ChildProcess;
  /** What signs client certificates. */
  readonly authority: KeyedCertificate;
  /** What it printed on standard error so far. */
  readLog(): string;
  /** A client certificate that its authority signed. */
  makeUser(name: string, groups?: readonly string[]): Promise<KeyedCertificate>;
  /** Sends a request and reads the whole answer; the agent's own certificate is not verified. */
  request(method: string, path: string, options?: AgentRequestOptions): Promise<AgentResponse>;
  /** Sends a request and returns the answer with its body still to be read. */
  open(method: string, path: string, options?: AgentRequestOptions): Promise<IncomingMessage>;
  /** Ends it by a signal and waits; resolves to the exit code, null after a kill. Its folder goes, unless it was given or it was killed. */
  end(signal?: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
  /** Removes the folder that a kill has left. */
  removeFolder(): Promise<void>;
}

interface Runtime {
  readonly nodeFlags: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Makes an authority of client certificates. */
function makeClientAuthority(): Promise<KeyedCertificate> {
  const now = Date.now();
  return makeCertificate({
    ...{ commonName: 'clients', purpose: 'authority', notBeforeMillis: now - 60_000, notAfterMillis: now + dayMillis },
  });
}

/** Makes a client certificate. */
function makeClientCertificate(
  authority: KeyedCertificate,
  name: string,
  groups: readonly string[] = [],
): Promise<KeyedCertificate> {
  const now = Date.now();
  return makeCertificate(
    {
      ...{ commonName: name, organizations: groups, purpose: 'client' },
      ...{ notBeforeMillis: now - 60_000, notAfterMillis: now + dayMillis },
    },
    authority,
  );
}

async function readText(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Runs `agent/main.ts` with these words until it ends; resolves to its exit code and what it printed. */
export async function runAgentToEnd(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; output: string; log: string }> {
  const child = spawn(process.execPath, [join(projectRoot, 'agent/main.ts'), ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  let output = '';
  let log = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString('utf8')));
  await once(child, 'close');
  return { code: child.exitCode, output, log };
}

/** Kills a process and removes its folder when this one has died without ending it, however it died; returns what lets it go. */
function endWithTests(child: ChildProcess, folder: string): () => void {
  // `read` waits for the end of the pipe, which is the end of the tests, or for the word that all is well.
  const script = `read -r word; [ "$word" = ended ] || { kill -9 ${child.pid}; sleep 1; rm -rf "$0"; }`;
  const watcher = spawn('sh', ['-c', script, folder], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  watcher.stdin.on('error', () => undefined);
  watcher.unref();
  (watcher.stdin as unknown as { unref(): void }).unref();
  return () => watcher.stdin.end('ended\n');
}

function readFlag(flags: readonly string[], name: string): string | undefined {
  const at = flags.indexOf(name);
  return at < 0 ? undefined : flags[at + 1];
}

/** Starts the node agent as its image does, on a free port, and waits for its line `ready URL`. Throws with its log when it ends before. */
export async function startAgentProgram(options: AgentProgramOptions = {}): Promise<AgentRun> {
  const { nodeName = 'node-1', flags = [] } = options;
  const folder = await mkdtemp(join(tmpdir(), 'bailiwick-agent-'));
  const rootDir = options.rootDir ?? join(folder, 'root');
  const authority = options.authority ?? (await makeClientAuthority());
  const authorityFile = join(folder, 'clients.crt');
  await writeFile(authorityFile, authority.certificate);
  const administrator = await makeClientCertificate(authority, 'administrator', ['system:masters']);
  // How full the disk of the tests is must not matter.
  const configFile = join(folder, 'agent.json');
  const head = { apiVersion: `agent.config.${readFlag(flags, '--domain') ?? 'bailiwick.dev'}/v1beta1` };
  const checkpoints = { minimumFreeBytes: '1Gi' };
  await writeFile(configFile, JSON.stringify({ ...head, kind: 'AgentConfiguration', checkpoints }));
  const runtime = JSON.parse(await readFile(join(projectRoot, 'agent/runtime.json'), 'utf8')) as Runtime;
  const words = [
    ...['--root-dir', rootDir, '--port', '0', '--hostname-override', nodeName],
    ...(flags.includes('--config') ? [] : ['--config', configFile]),
    ...(options.hasNoClientAuthority === true ? [] : ['--client-ca-file', authorityFile]),
    ...flags,
  ];
  const child = spawn(process.execPath, [...runtime.nodeFlags, join(projectRoot, 'agent/main.ts'), ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { NODE_COMPILE_CACHE: compileCache, ...process.env, ...runtime.environment, ...options.environment },
  });
  const endWatch = endWithTests(child, folder);
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => (log = (log + chunk.toString('utf8')).slice(-500_000)));
  const exited = once(child, 'exit').finally(endWatch);
  const lines = createInterface({ input: child.stdout });
  let url: string;
  try {
    url = await Promise.race([
      new Promise<string>((resolve) => {
        lines.on('line', (line) => {
          if (line.startsWith('ready ')) resolve(line.slice('ready '.length));
        });
      }),
      exited.then(() => {
        throw new Error(`the agent ended before it was ready:\n${log}`);
      }),
    ]);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  const agents = new Map<KeyedCertificate | undefined, Agent>();
  const findAgent = (user: KeyedCertificate | undefined): Agent => {
    const known = agents.get(user);
    if (known !== undefined) return known;
    const identity = user === undefined ? {} : { cert: user.certificate, key: user.privateKey };
    const agent = new Agent({ keepAlive: true, rejectUnauthorized: false, ...identity });
    agents.set(user, agent);
    return agent;
  };
  const open = (method: string, path: string, given: AgentRequestOptions = {}): Promise<IncomingMessage> => {
    const isNobody = 'user' in given || given.token !== undefined;
    const agent = findAgent(isNobody ? given.user : administrator);
    const headers: Record<string, string> = { ...given.headers };
    if (given.token !== undefined) headers['authorization'] = `Bearer ${given.token}`;
    return new Promise((resolve, reject) => {
      const sent = sendHttps(new URL(path, url), { method, headers, agent }, resolve);
      sent.on('error', reject);
      sent.end(given.body);
    });
  };
  return {
    ...{ url, rootDir, nodeName, process: child, authority, open },
    readLog: () => log,
    makeUser: (name, groups) => makeClientCertificate(authority, name, groups),
    async request(method, path, given) {
      const message = await open(method, path, given);
      const text = await readText(message);
      return { status: message.statusCode ?? 0, headers: message.headers, text, json: parseJsonOrUndefined(text) };
    },
    async end(signal = 'SIGTERM') {
      for (const agent of agents.values()) agent.destroy();
      agents.clear();
      child.kill(signal);
      await exited;
      if (signal === 'SIGTERM') await rm(folder, { recursive: true, force: true });
      return child.exitCode;
    },
    removeFolder: () => rm(folder, { recursive: true, force: true }),
  };
}
