import { relative } from 'node:path';

import { systemClock } from '../platform/process/clock.ts';
import { explainStartFailure } from '../platform/process/explain-start-failure.ts';
import { createLogger } from '../platform/process/logger.ts';
import { describeFlags, FlagError } from '../platform/process/parse-flags.ts';
import { endOnSignals, Shutdown } from '../platform/process/shutdown.ts';
import { shrinkBufferPool } from '../platform/process/shrink-buffer-pool.ts';
import { operatorFlags, readOperatorConfig } from './bootstrap/operator-flags.ts';
import type { OperatorConfig } from './bootstrap/operator-flags.ts';
import type { ProgramParts, StartedService } from './started-service.ts';

const clock = systemClock;

/** Each way to run loads only what it needs: that keeps the start short, and the memory small. */
async function startService(config: OperatorConfig, parts: ProgramParts): Promise<StartedService> {
  if (config.store === 'sqlite') {
    const { startEmbedded } = await import('./start-embedded.ts');
    return startEmbedded(config, parts);
  }
  const { startOnHost } = await import('./start-on-host.ts');
  return startOnHost(config, parts);
}

/** What a person reads on standard output; programs wait for the line that starts with `ready`. */
function describeService({ url, kubeconfig }: StartedService): string {
  if (kubeconfig === undefined) return `ready ${url}\n`;
  const file = relative(process.cwd(), kubeconfig);
  const shown = file.startsWith('..') ? kubeconfig : file;
  return [
    `ready ${url}`,
    `kubeconfig ${kubeconfig}`,
    'try:',
    `  export KUBECONFIG=${shown}`,
    '  kubectl apply -f examples/',
    '  kubectl describe quota -n team-a',
    '  kubectl run big -n team-a --image=web:1 --overrides=\'{"spec":{"containers":[{"name":"big","image":"web:1","resources":{"limits":{"cpu":"3"}}}]}}\'',
    '',
  ].join('\n');
}

async function main(words: readonly string[]): Promise<void> {
  if (words.includes('--help')) {
    process.stdout.write(`npm start -- [FLAG ...]\n\n${describeFlags(operatorFlags)}\n`);
    return;
  }
  shrinkBufferPool();
  const config = readOperatorConfig(words);
  const logger = createLogger({ level: config.logLevel, program: 'operator' });
  const shutdown = new Shutdown({ logger, clock });
  endOnSignals(shutdown, (code) => process.exit(code));
  try {
    const started = await startService(config, { shutdown, logger, clock });
    process.stdout.write(describeService(started));
  } catch (error) {
    // Asked to end while it started: then there is nothing to explain, and whoever listens for the signals ends it.
    if (shutdown.signal.aborted) return;
    explainStartFailure(error, logger, 'the service could not start');
    await shutdown.end();
    process.exit(1);
  }
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof FlagError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
