import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { recordAnswers } from './record-answers.ts';
import { startOwnJudge, startRealJudge } from './start-judges.ts';

/** Records what the real API server answers, for the tests that compare; `--own FILE` records our service's instead. */
async function main(words: readonly string[]): Promise<void> {
  const isOwn = words[0] === '--own';
  const file = words[1] ?? join(import.meta.dirname, 'testdata', 'answers.json');
  const judge = isOwn ? await startOwnJudge() : await startRealJudge();
  try {
    const recorded = await recordAnswers(judge, !words.includes('--no-types'));
    await writeFile(file, await format(JSON.stringify(recorded), { ...(await resolveConfig(file)), parser: 'json' }));
  } finally {
    await judge.stop();
  }
}

await main(process.argv.slice(2));
