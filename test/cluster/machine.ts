import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { listControlGroupFolders, makeControlGroup, removeControlGroup, thawControlGroup } from './control-groups.ts';
import type { ProcessGroup } from './process-group.ts';
import type { MachineNetwork } from './reserve-network.ts';
import { runProgram } from './run-program.ts';
import { waitUntil } from './wait-until.ts';
import { findWrappedPid } from './wrapped-pid.ts';

/**
 * A machine of its own within this one: process, network and mount namespaces, so that its ports, packet filters and mounts meet nobody
 * else's, and that killing its first process is pulling its plug. `/var/lib` and `/var/log` are below `folder` and outlive that; `/run`
 * does not. It ends with the process group.
 */
export class Machine {
  readonly #group: ProcessGroup;
  readonly #folder: string;
  readonly #init: string;
  readonly #network: MachineNetwork;
  readonly #programs = new Set<string>();
  /** Name of the control group that its containers are in. */
  readonly controlGroup: string;

  /** `init` is a program that does nothing but reap, and `name` is of this machine alone. */
  constructor(group: ProcessGroup, folder: string, name: string, init: string, network: MachineNetwork) {
    this.#group = group;
    this.#folder = folder;
    this.#init = init;
    this.#network = network;
    this.controlGroup = name;
    group.removeAtEnd('control group', name);
  }

  async #firstPid(): Promise<number> {
    const pid = findWrappedPid(await this.#group.waitUntilStarted('machine'));
    if (pid === undefined) throw new Error('the machine is off');
    return pid;
  }

  /** Switches it on; resolves when programs can be started and its network reaches this process. */
  async powerOn(): Promise<void> {
    const booted = join(this.#folder, 'booted');
    await rm(booted, { force: true });
    for (const name of ['lib', 'log']) await mkdir(join(this.#folder, 'disk', name), { recursive: true });
    await makeControlGroup(this.controlGroup);
    const script = fileURLToPath(new URL('boot-machine.sh', import.meta.url));
    this.#group.start({
      name: 'machine',
      command: 'setpriv',
      words: [
        // Should the supervisor be killed, then nothing lives on either.
        ...['--pdeathsig', 'KILL', 'unshare', '--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'],
        ...['sh', script, this.#folder, this.#init],
      ],
      logFile: join(this.#folder, 'machine.log'),
      machine: 'boots',
    });
    await waitUntil('the machine to boot', async () => {
      await this.#group.checkAlive();
      return existsSync(booted);
    });
    await this.#plugIn();
  }

  async #plugIn(): Promise<void> {
    const { bridge, hostAddress, nodeAddress } = this.#network;
    const near = `${bridge}n`;
    const pid = String(await this.#firstPid());
    await runProgram('ip', ['link', 'add', near, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', pid]);
    await runProgram('ip', ['link', 'set', near, 'master', bridge, 'up']);
    const inside = [
      `ip address add ${nodeAddress}/24 dev eth0`,
      'ip link set eth0 up',
      `ip route add default via ${hostAddress}`,
      'echo 1 > /proc/sys/net/ipv4/ip_forward',
    ];
    await this.run('sh', ['-euc', inside.join('\n')]);
  }

  /** Ends everything on it at once, as a machine that loses its power. */
  async powerOff(): Promise<void> {
    process.kill(await this.#firstPid(), 'SIGKILL');
    await thawControlGroup(this.controlGroup);
    await this.#group.waitUntilEnded('machine');
    for (const name of this.#programs) await this.#group.waitUntilEnded(name);
    this.#programs.clear();
    await waitUntil('the network device to go', async () => !existsSync(`/sys/class/net/${this.#network.bridge}n`));
    await removeControlGroup(this.controlGroup);
  }

  /** Runs a program on it to its end; see `runProgram`. */
  async run(command: string, words: readonly string[], input?: string): Promise<string> {
    const enter = await this.#wordsToEnter();
    return runProgram('nsenter', [...enter, command, ...words], input === undefined ? {} : { input });
  }

  async #wordsToEnter(): Promise<string[]> {
    return ['--target', String(await this.#firstPid()), '--mount', '--net', '--pid', '--wd=/', '--'];
  }

  /** Starts a program that stays. */
  async start(name: string, command: string, words: readonly string[]): Promise<void> {
    const enter = await this.#wordsToEnter();
    this.#programs.add(name);
    this.#group.start({
      name,
      command: 'nsenter',
      words: [...enter, command, ...words],
      logFile: join(this.#folder, `${name}.log`),
      machine: 'inside',
    });
    await this.#group.waitUntilStarted(name);
  }

  /** Kills one of the programs that stay, and resolves when it has ended. */
  async kill(name: string, signal: NodeJS.Signals): Promise<void> {
    const pid = this.pids.get(name);
    if (pid === undefined) throw new Error(`${name} does not run`);
    process.kill(pid, signal);
    await this.#group.waitUntilEnded(name);
    this.#programs.delete(name);
  }

  /** Process ids, as this process numbers them, of the programs that stay and of the first process, `machine`. */
  get pids(): ReadonlyMap<string, number> {
    const pids = new Map<string, number>();
    for (const [name, wrapper] of this.#group.pids) {
      const pid = name === 'supervisor' ? wrapper : findWrappedPid(wrapper);
      if (pid !== undefined) pids.set(name, pid);
    }
    return pids;
  }

  /** What there is of it outside of its folder: control groups and network devices. */
  async listTraces(): Promise<string[]> {
    const devices = [this.#network.bridge, `${this.#network.bridge}n`].map((name) => `/sys/class/net/${name}`);
    return [...(await listControlGroupFolders(this.controlGroup)), ...devices.filter((file) => existsSync(file))];
  }
}
