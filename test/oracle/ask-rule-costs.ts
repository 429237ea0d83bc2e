import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

import type { JsonObject } from '../../core/meta/json.ts';
import { buildGoProgram } from '../cluster/build-control-plane.ts';

/** Rules of one schema; `stored`: they are compiled as those in force are. */
export interface CostQuestion {
  readonly schema: JsonObject;
  readonly rules: readonly string[];
  readonly messageExpression?: string;
  readonly stored?: boolean;
}

/** What Kubernetes makes of one rule: its cost and how often a value may occur, as texts of whole numbers, or the fault. */
export interface CostAnswer {
  readonly cost?: string;
  readonly occurrences?: string;
  readonly message?: string;
  readonly fault?: string;
  readonly oldSelf?: true;
  /** Kubernetes itself does not survive the rule. */
  readonly panics?: true;
}

/** What Kubernetes estimates rules to cost; it holds all programs of one question at once. Throws when Go is missing or the build fails. */
export async function askRuleCosts(questions: readonly CostQuestion[]): Promise<readonly (readonly CostAnswer[])[]> {
  const program = await buildGoProgram('rule-costs', new URL('rule-costs.go', import.meta.url));
  const asked = questions.map(({ schema, rules, messageExpression, stored = false }) => {
    const message = messageExpression === undefined ? {} : { messageExpression };
    return { schema: { ...schema, 'x-kubernetes-validations': rules.map((rule) => ({ rule, ...message })) }, stored };
  });
  const child = spawn(program);
  child.stdin.end(JSON.stringify(asked));
  const [answers, complaint] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (complaint !== '') throw new Error(`the costs of rules could not be asked: ${complaint.slice(0, 2000)}`);
  return JSON.parse(answers) as CostAnswer[][];
}
