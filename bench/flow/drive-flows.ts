import { slowBody, slowPath } from './flow-objects.ts';
import type { FlowSide } from './start-flow-sides.ts';

/** Requests of one user, on average so many in a second, with random gaps; 0: one after the other. */
export interface FlowLoad {
  readonly user: string;
  readonly group: string;
  readonly perSecond: number;
}

/** What became of the requests of one group. Times are those that the client saw. */
export interface FlowReport {
  readonly answered: number;
  readonly refused: number;
  readonly p50Millis: number;
  readonly p90Millis: number;
  readonly p99Millis: number;
  readonly meanMillis: number;
}

/** What is driven at one side. */
export interface FlowTask {
  readonly flows: readonly FlowLoad[];
  readonly warmSeconds: number;
  readonly seconds: number;
  readonly seed: number;
}

/** Drives a load; resolves to what became of each group. Throws when something else than a creation or a refusal was answered. */
export async function driveFlows(side: FlowSide, task: FlowTask): Promise<Readonly<Record<string, FlowReport>>> {
  const answer = await side.load.ask(JSON.stringify({ path: slowPath, body: slowBody, ...task }));
  const result = JSON.parse(answer) as { groups: Record<string, FlowReport>; failure?: string };
  if (result.failure !== undefined) throw new Error(`${side.name}: ${result.failure}`);
  return result.groups;
}

/** How long requests of a FlowSchema waited in the queues, by the server's own metrics; the last bucket has no bound. */
export interface WaitHistogram {
  readonly sumSeconds: number;
  readonly buckets: readonly (readonly [bound: number, count: number])[];
}

/** Reads those that were served. */
export function readWaits(metrics: string, schema: string): WaitHistogram {
  const prefix = 'apiserver_flowcontrol_request_wait_duration_seconds';
  const lines = metrics
    .split('\n')
    .filter((line) => line.startsWith(prefix) && line.includes(`flow_schema="${schema}"`) && line.includes('"true"'));
  const readValue = (line: string): number => Number(line.slice(line.lastIndexOf(' ') + 1));
  const sum = lines.find((line) => line.startsWith(`${prefix}_sum`));
  const buckets = lines.flatMap((line): [number, number][] => {
    const bound = /le="([^"]+)"/.exec(line)?.[1];
    if (bound === undefined) return [];
    return [[bound === '+Inf' ? Infinity : Number(bound), readValue(line)]];
  });
  return { sumSeconds: sum === undefined ? 0 : readValue(sum), buckets };
}

/** How long requests of a FlowSchema held their seats so far: the sum, and how many. */
export function readExecutions(
  metrics: string,
  schema: string,
): { readonly sumSeconds: number; readonly count: number } {
  const prefix = 'apiserver_flowcontrol_request_execution_seconds';
  const read = (suffix: string): number => {
    const lines = metrics.split('\n');
    const line = lines.find((one) => one.startsWith(`${prefix}_${suffix}{`) && one.includes(`flow_schema="${schema}"`));
    return line === undefined ? 0 : Number(line.slice(line.lastIndexOf(' ') + 1));
  };
  return { sumSeconds: read('sum'), count: read('count') };
}

/** Mean and 99th percentile, in milliseconds, of what was added from `before` to `after`; within a bucket waits are taken to be spread evenly. */
export function compareWaits(before: WaitHistogram, after: WaitHistogram): { meanMillis: number; p99Millis: number } {
  const known = new Map(before.buckets);
  const cumulative = after.buckets.map(([bound, count]) => [bound, count - (known.get(bound) ?? 0)] as const);
  const total = cumulative.at(-1)?.[1] ?? 0;
  if (total === 0) return { meanMillis: 0, p99Millis: 0 };
  const wanted = total * 0.99;
  let [lowBound, lowCount] = [0, 0];
  for (const [bound, count] of cumulative) {
    if (count >= wanted) {
      const part = bound === Infinity || count === lowCount ? 0 : (wanted - lowCount) / (count - lowCount);
      const p99 = part === 0 ? lowBound : lowBound + (bound - lowBound) * part;
      return { meanMillis: ((after.sumSeconds - before.sumSeconds) / total) * 1000, p99Millis: p99 * 1000 };
    }
    [lowBound, lowCount] = [bound, count];
  }
  return { meanMillis: 0, p99Millis: 0 };
}
