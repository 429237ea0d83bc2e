// Records what Kubernetes estimates the rules of the cases to cost: `node tools/record-rule-costs.ts`.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { costCases } from '../kinds/apiextensions/custom-resource-definition/testdata/cost-cases.ts';
import { askRuleCosts } from '../test/oracle/ask-rule-costs.ts';
import { projectRoot } from './run-command.ts';

const answers = await askRuleCosts(costCases.map((one) => ({ ...one, messageExpression: 'self.kind' })));
const file = 'kinds/apiextensions/custom-resource-definition/testdata/cost-answers.json';
const lines = answers.map((all) => `[\n${all.map((answer) => JSON.stringify(answer)).join(',\n')}\n]`);
await writeFile(join(projectRoot, file), `[\n${lines.join(',\n')}\n]\n`);
console.log(`${answers.flat().length} rules recorded`);
