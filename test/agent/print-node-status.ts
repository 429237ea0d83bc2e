import { connectContainerRuntime } from '../../agent/cri/connect-container-runtime.ts';
import { openHostFiles } from '../../agent/status/host-files.ts';
import { NodeStatusSource, type NodeStatusConfiguration } from '../../agent/status/node-status-source.ts';
import { systemClock } from '../../platform/process/clock.ts';
import { createSilentLogger } from '../../platform/process/logger.ts';

/** What to measure a node with; the one word of this program, as JSON. */
export interface PrintRequest {
  readonly nodeName: string;
  readonly nodeIp: string;
  readonly rootDir: string;
  readonly runtimeSocket: string;
  readonly configuration: NodeStatusConfiguration;
}

const { nodeName, nodeIp, rootDir, runtimeSocket, configuration } = JSON.parse(process.argv[2] ?? '') as PrintRequest;
const runtime = await connectContainerRuntime({ runtimeSocket, timeoutMillis: 10_000 });
const source = new NodeStatusSource({
  ...{ files: openHostFiles(), runtime, nodeName, nodeIps: [nodeIp], checkNodeIps: true, rootDir, port: 10250 },
  ...{ configuration, clock: systemClock, logger: createSilentLogger() },
});
process.stdout.write(JSON.stringify(await source.readNode()));
runtime.close();
