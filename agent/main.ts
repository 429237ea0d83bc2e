import { systemClock } from '../platform/process/clock.ts';
import { explainStartFailure } from '../platform/process/explain-start-failure.ts';
import { createLogger } from '../platform/process/logger.ts';
import { describeFlags, FlagError } from '../platform/process/parse-flags.ts';
import { endOnSignals, Shutdown } from '../platform/process/shutdown.ts';
import { StartError } from '../platform/process/start-error.ts';
import { agentFlags, readAgentFlags } from './config/agent-flags.ts';
import { runCheck } from './program/run-check.ts';
import { startAgent } from './start-agent.ts';

const clock = systemClock;
/** Beyond the time of answers under way. */
const stepTimeoutMillis = 30_000;

async function endWith(shutdown: Shutdown, code: number): Promise<void> {
  const isClean = await shutdown.end();
  process.exit(isClean ? code : 1);
}

async function run(words: readonly string[]): Promise<void> {
  const flags = readAgentFlags(words);
  const logger = createLogger({ level: flags.logLevel, program: 'agent' });
  const shutdown = new Shutdown({ logger, clock, stepTimeoutMillis });
  endOnSignals(shutdown, (code) => process.exit(code));
  try {
    const url = await startAgent(flags, { clock, logger, shutdown, end: (code) => void endWith(shutdown, code) });
    process.stdout.write(`ready ${url}\n`);
  } catch (error) {
    if (shutdown.signal.aborted) return;
    explainStartFailure(error, logger, 'the node agent could not start');
    await shutdown.end();
    process.exit(1);
  }
}

const words = process.argv.slice(2);
try {
  if (words.includes('--help')) {
    process.stdout.write(`node agent/main.ts [check] [FLAG ...]\n\n${describeFlags(agentFlags)}\n`);
  } else if (words[0] === 'check') {
    process.exitCode = await runCheck(words.slice(1));
  } else {
    await run(words);
  }
} catch (error) {
  if (!(error instanceof FlagError) && !(error instanceof StartError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
