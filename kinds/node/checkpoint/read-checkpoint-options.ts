import { parseGoDuration } from '../../../core/time/parse-go-duration.ts';

/** How a checkpoint is to be made. */
export interface CheckpointOptions {
  /** Empty: the pod's only one. */
  readonly container: string;
  /** Whole seconds; `undefined`: as long as the node's agent gives it. */
  readonly timeoutSeconds: number | undefined;
  /** Whether the answer is a stream of progress. */
  readonly progress: boolean;
}

/** Longer than anything that a node agent waits for. */
const maxTimeoutSeconds = 86_400;

function readSeconds(name: string, text: string): { readonly seconds: number } | { readonly fault: string } {
  if (!/^\d{1,10}$/.test(text))
    return { fault: `invalid ${name} ${JSON.stringify(text)}: must be a whole number of seconds` };
  const seconds = Number(text);
  if (seconds <= maxTimeoutSeconds) return { seconds };
  return { fault: `invalid ${name} ${JSON.stringify(text)}: must be at most ${maxTimeoutSeconds} seconds` };
}

/** A `timeout`: seconds, as the kubelet's endpoint has them, or a duration such as `1m30s`, as the API server has it. */
function readTimeout(text: string): { readonly seconds: number } | { readonly fault: string } {
  if (/^\d+$/.test(text)) return readSeconds('timeout', text);
  const parsed = parseGoDuration(text);
  if ('fault' in parsed) return { fault: `invalid timeout: ${parsed.fault}` };
  if (parsed.millis < 0) return { fault: `invalid timeout ${JSON.stringify(text)}: must not be negative` };
  return readSeconds('timeout', String(Math.ceil(parsed.millis / 1000)));
}

function readFlag(value: string | null): boolean {
  return value !== null && value.toLowerCase() !== 'false' && value !== '0';
}

/** Reads the query of a request for a checkpoint; `timeoutSeconds` wins over `timeout`, and 0 means the default. Or what is wrong with it. */
export function readCheckpointOptions(query: URLSearchParams): CheckpointOptions | { readonly fault: string } {
  // What was asked to be without effect must have none.
  if (query.getAll('dryRun').some((value) => value !== '')) {
    return { fault: 'invalid dryRun: whether a container can be checkpointed shows only when it is' };
  }
  const seconds = query.get('timeoutSeconds') ?? '';
  const timeout = query.get('timeout') ?? '';
  const read =
    seconds !== '' ? readSeconds('timeoutSeconds', seconds) : timeout === '' ? { seconds: 0 } : readTimeout(timeout);
  if ('fault' in read) return read;
  return {
    container: query.get('container') ?? '',
    timeoutSeconds: read.seconds === 0 ? undefined : read.seconds,
    progress: readFlag(query.get('progress')),
  };
}
