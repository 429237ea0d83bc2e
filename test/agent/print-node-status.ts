import type { MeasuredNode } from '../../agent/status/agent-node.ts';
import { connectContainerRuntime } from '../../agent/cri/connect-container-runtime.ts';
import { openHostFiles } from '../../agent/status/host-files.ts';
import { readUsage, type NodeUsage } from '../../agent/status/read-usage.ts';
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

/** What it prints. */
export interface PrintedStatus {
  readonly node: MeasuredNode;
  readonly usage: NodeUsage;
}

const { nodeName, nodeIp, rootDir, runtimeSocket, configuration } = JSON.parse(process.argv[2] ?? '') as PrintRequest;
const runtime = await connectContainerRuntime({ runtimeSocket, timeoutMillis: 10_000 });
const source = new NodeStatusSource({
  ...{ files: openHostFiles(), runtime, nodeName, nodeIps: [nodeIp], checkNodeIps: true, rootDir, port: 10250 },
  ...{ configuration, clock: systemClock, logger: createSilentLogger() },
});
const [imageFs] = (await runtime.readImageFilesystems()).images;
const paths = { rootDir, imageFs: imageFs?.mountpoint, containerFs: undefined };
const usage = await readUsage(openHostFiles(), paths);
process.stdout.write(JSON.stringify({ node: await source.readNode(), usage } satisfies PrintedStatus));
runtime.close();
