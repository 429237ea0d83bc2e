import { chmod, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

import { CriConnection } from '../../agent/cri/cri-connection.ts';
import { CriProtocol } from '../../agent/cri/cri-protocol.ts';
import { buildContainerd16 } from '../cluster/build-containerd-16.ts';
import { buildCriu } from '../cluster/build-criu.ts';
import { buildNodeProgram } from '../cluster/build-node-program.ts';
import { listContainerdWords, writeContainerdFiles, type ContainerdVersion } from '../cluster/containerd-files.ts';
import { Machine } from '../cluster/machine.ts';
import { ProcessGroup } from '../cluster/process-group.ts';
import { reserveNetwork } from '../cluster/reserve-network.ts';
import {
  buildBusyboxImage,
  buildPauseImage,
  buildPauseProgram,
  buildWorkloadImage,
  pauseReference,
} from '../cluster/small-images.ts';
import { TestRuntime } from './test-runtime.ts';

/** Which CRIU a runtime dumps with: one that works, a real one that may write no file of a dump, or none. */
export type CriuKind = 'working' | 'broken' | 'missing';

/** How a runtime differs from the usual. */
export interface RuntimeOptions {
  /** Absent: the newest. */
  readonly containerd?: ContainerdVersion;
  /** Absent: `working`. */
  readonly criu?: CriuKind;
}

async function buildPrograms(options: RuntimeOptions) {
  for (const plugin of ['loopback', 'host-local'] as const) await buildNodeProgram(plugin);
  const newest = async () => ({
    containerd: await buildNodeProgram('containerd'),
    shim: await buildNodeProgram('containerd-shim-runc-v2'),
    ctr: await buildNodeProgram('ctr'),
  });
  return {
    ...(options.containerd === '1.6' ? await buildContainerd16() : await newest()),
    runc: await buildNodeProgram('runc'),
    crictl: await buildNodeProgram('crictl'),
    cniPlugins: dirname(await buildNodeProgram('bridge')),
    pause: await buildPauseProgram(),
  };
}

/** A folder with the `criu` that is wanted; without one where none is. */
async function fillCriuFolder(folder: string, kind: CriuKind): Promise<string> {
  if (kind === 'working') return dirname(await buildCriu());
  await mkdir(folder);
  if (kind === 'missing') return folder;
  const file = join(folder, 'criu');
  // Writes beyond that fail; that they also bring a signal is ignored.
  await writeFile(file, `#!/bin/sh\ntrap '' XFSZ\nexec prlimit --fsize=16384 "${await buildCriu()}" "$@"\n`);
  await chmod(file, 0o755);
  return folder;
}

async function startIn(folder: string, group: ProcessGroup, options: RuntimeOptions): Promise<TestRuntime> {
  const programs = await buildPrograms(options);
  const network = await reserveNetwork(group, folder);
  const machine = new Machine(group, folder, basename(folder), programs.pause, network);
  const socket = join(folder, 'containerd.sock');
  const { runc, shim, cniPlugins } = programs;
  const places = { folder, network, socket, pauseImage: pauseReference };
  const plan = { ...places, runc, shim, cniPlugins, containerdVersion: options.containerd ?? '2.3' };
  await writeContainerdFiles(plan);
  const criuFolder = await fillCriuFolder(join(folder, 'criu'), options.criu ?? 'working');
  const images = [await buildPauseImage(), await buildBusyboxImage(), await buildWorkloadImage()];
  const connection = new CriConnection(await CriProtocol.load(), { socketPath: socket, timeoutMillis: 120_000 });
  const runtime = new TestRuntime({
    ...{ folder, socket, group, machine, connection, ctr: programs.ctr, crictl: programs.crictl },
    containerdWords: listContainerdWords(plan, programs.containerd, criuFolder),
  });
  await machine.powerOn();
  await runtime.startContainerd();
  for (const image of images) await runtime.loadImage(image);
  return runtime;
}

/**
 * Starts a containerd with runc and CRIU on a machine of its own (see `Machine`), without a cluster; builds them first where the cache
 * has none. Resolves when pods can be run. It ends with this process at the latest. Several may run at once.
 */
export async function startRuntime(options: RuntimeOptions = {}): Promise<TestRuntime> {
  const folder = await mkdtemp(join(tmpdir(), 'bailiwick-runtime-'));
  // From here on somebody watches who removes everything, whatever becomes of this process.
  const group = new ProcessGroup(folder);
  try {
    return await startIn(folder, group, options);
  } catch (error) {
    await group.stop();
    throw error;
  }
}
