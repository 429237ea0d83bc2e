import { randomInt } from 'node:crypto';

import type { ProcessGroup } from './process-group.ts';
import { runProgram } from './run-program.ts';
import { markBridge, sweepDeadMachines } from './sweep-dead-machines.ts';

/** Addresses that one machine of the rig has to itself; all are of the range kept for benchmarks, which no real network uses. */
export interface MachineNetwork {
  /** The bridge in the machine's own namespace; holding it is holding the rest. */
  readonly bridge: string;
  /** This side of the cable: where a test process can listen for what calls it from inside. */
  readonly hostAddress: string;
  readonly nodeAddress: string;
  readonly podSubnet: string;
}

function planNetwork(index: number): MachineNetwork {
  return {
    bridge: `bailiwick${index}`,
    hostAddress: `198.18.${index}.1`,
    nodeAddress: `198.18.${index}.2`,
    podSubnet: `198.19.${index}.0/24`,
  };
}

/** Takes a network that nobody holds, for the machine with that folder. It is given back when the group stops. */
export async function reserveNetwork(group: ProcessGroup, folder: string): Promise<MachineNetwork> {
  await sweepDeadMachines();
  const first = randomInt(256);
  for (let tried = 0; tried < 256; tried += 1) {
    const network = planNetwork((first + tried) % 256);
    try {
      // Only one of several that try gets the name.
      await runProgram('ip', ['link', 'add', network.bridge, 'type', 'bridge', 'forward_delay', '0']);
    } catch (error) {
      if (String(error).includes('File exists')) continue;
      throw error;
    }
    group.removeAtEnd('network device', network.bridge);
    await markBridge(network.bridge, group.pids.get('supervisor') ?? 0, folder);
    await runProgram('ip', ['address', 'add', `${network.hostAddress}/24`, 'dev', network.bridge]);
    await runProgram('ip', ['link', 'set', network.bridge, 'up']);
    await runProgram('ip', ['route', 'add', network.podSubnet, 'via', network.nodeAddress, 'dev', network.bridge]);
    return network;
  }
  throw new Error('every network of the rig is taken');
}
