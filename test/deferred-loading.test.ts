import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const projectRoot = join(import.meta.dirname, '..');

/** Without a cache, a thousand of them take up to half a millisecond to be read. */
const mostCharacters = 50_000;

/**
 * Starts as the service does, and then loads what it keeps for later; prints the most that was read in one turn of the event loop, in
 * characters, and what came last in it. Packages are not counted: nothing of them is stripped.
 */
const program = `
import { registerHooks } from 'node:module';
await import('./operator/start-embedded.ts');
let characters = 0, last = '', most = [0, ''];
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (url.startsWith('file:') && !url.includes('/node_modules/')) {
      characters += String(loaded.source).length;
      last = url;
      if (characters > most[0]) most = [characters, last];
    }
    return loaded;
  },
});
let isOver = false, all = 0;
const turn = () => { all += characters; characters = 0; if (!isOver) setImmediate(turn); };
turn();
const load = process.argv[1];
if (load === 'policies') {
  const { validatingAdmissionPolicyStrategy } = await import('./kinds/admissionregistration/validating-admission-policy/strategy.ts');
  await validatingAdmissionPolicyStrategy.loadChecks();
}
if (load === 'definitions') {
  const { customResourceDefinitionRules } = await import('./kinds/apiextensions/custom-resource-definition/rules.ts');
  await customResourceDefinitionRules.loadChecks();
}
if (load === 'evaluation') {
  const { PolicyDecider } = await import('./admission/policy/decide-policies.ts');
  await new PolicyDecider({}).prepare();
}
isOver = true;
console.log(JSON.stringify({ most: most[0], last: most[1], all: all + characters }));
`;

it.for([
  ['the first policy is written', 'policies'],
  ['the first policy is evaluated', 'evaluation'],
  ['the first kind is defined', 'definitions'],
] as const)('when %s, what it takes is loaded in parts that hold nobody up', async ([, load]) => {
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program, load], {
    cwd: projectRoot,
  });
  const { most, last, all } = JSON.parse(stdout) as { most: number; last: string; all: number };
  expect(all).toBeGreaterThan(mostCharacters * 4);
  expect(most, last).toBeLessThanOrEqual(mostCharacters);
});
