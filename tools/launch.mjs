// Runs a TypeScript program of this project under the Node that the lockfile names, after installing what the lockfile asks for.
// It is plain JavaScript because the Node that starts it may be an older one.
// Usage: node tools/launch.mjs [--production] PROGRAM [ARGUMENT ...]
// With --production the program runs with the flags and the environment that `runtime.json` in its folder names: they keep a
// service's memory small (a small young generation, few arenas of malloc, freed memory given back), and are of no use to a tool.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const stampFile = join(modules, '.bailiwick-installed');
const node = join(modules, 'node', 'bin', 'node');

function readStamp() {
  return existsSync(stampFile) && existsSync(node) ? readFileSync(stampFile, 'utf8') : '';
}

function installPackages(production) {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const stamp = readStamp();
  if (stamp === `${lock} all` || (production && stamp === `${lock} production`)) {
    return;
  }
  process.stderr.write('installing packages (once)\n');
  const npm = process.env.npm_execpath;
  const command = npm ? [process.execPath, npm] : ['npm'];
  // Not `npm ci`: it refuses a lockfile in which optional binaries of other platforms are missing. `install` keeps to the
  // locked versions and digests as well, and --no-save leaves the lockfile as it is.
  const options = ['install', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  if (production) {
    options.push('--omit=dev');
  }
  const result = spawnSync(command[0], [...command.slice(1), ...options], { cwd: root, stdio: ['ignore', 2, 2] });
  if (result.status !== 0 || !existsSync(node)) {
    process.stderr.write('could not install packages; see the messages above\n');
    process.exit(1);
  }
  writeFileSync(stampFile, `${lock} ${production ? 'production' : 'all'}`);
}

function readRuntime(program) {
  return JSON.parse(readFileSync(join(root, dirname(program), 'runtime.json'), 'utf8'));
}

const words = process.argv.slice(2);
const production = words[0] === '--production';
if (production) {
  words.shift();
}
installPackages(production);

const [program, ...programArguments] = words;
const runtime = production ? readRuntime(program) : { nodeFlags: [], environment: {} };
const child = spawn(node, [...runtime.nodeFlags, join(root, program), ...programArguments], {
  stdio: 'inherit',
  env: {
    ...runtime.environment,
    ...process.env,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(modules, '.cache', 'compile'),
  },
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => child.kill(signal));
}
child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
