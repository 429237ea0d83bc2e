// Records what Kubernetes estimates the rules of the cases to cost: `node tools/record-rule-costs.ts`.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { costCases } from '../kinds/apiextensions/custom-resource-definition/testdata/cost-cases.ts';
import { buildGoProgram } from '../test/cluster/build-control-plane.ts';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { projectRoot } from './run-command.ts';

const program = await buildGoProgram('rule-costs', new URL('../test/oracle/rule-costs.go', import.meta.url));
const questions = costCases.map(({ schema, stored = false, rules }) => ({
  schema: { ...schema, 'x-kubernetes-validations': rules.map((rule) => ({ rule, messageExpression: 'self.kind' })) },
  stored,
}));
const child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] });
child.stdin.end(JSON.stringify(questions));
const answers = JSON.parse(await text(child.stdout)) as unknown[][];
const file = 'kinds/apiextensions/custom-resource-definition/testdata/cost-answers.json';
const lines = answers.map((all) => `[\n${all.map((answer) => JSON.stringify(answer)).join(',\n')}\n]`);
await writeFile(join(projectRoot, file), `[\n${lines.join(',\n')}\n]\n`);
console.log(`${answers.flat().length} rules recorded`);
