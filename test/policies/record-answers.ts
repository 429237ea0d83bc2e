import { waitUntil } from '../cluster/wait-until.ts';
import { allScenarios } from './cases/all-scenarios.ts';
import { typeCheckedPolicies } from './cases/type-checks.ts';
import { installScenarios, judgeRequest, type PolicyServer } from './judge-requests.ts';
import type { JudgedAnswer } from './scenario.ts';

const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const scenariosAtOnce = 8;

/** What a server answered to every request, and what it found when it checked types. */
export interface RecordedAnswers {
  /** By scenario, in the order of its requests. */
  readonly answers: Readonly<Record<string, readonly JudgedAnswer[]>>;
  /** Warnings of `status.typeChecking` by policy. */
  readonly typeChecks: Readonly<Record<string, readonly unknown[]>>;
}

async function checkTypes(server: PolicyServer): Promise<Record<string, readonly unknown[]>> {
  for (const body of typeCheckedPolicies) await server.request('POST', policies, { body });
  const checks: Record<string, readonly unknown[]> = {};
  for (const { metadata } of typeCheckedPolicies as { metadata: { name: string } }[]) {
    await waitUntil(`the types of ${metadata.name} to be checked`, async () => {
      const { body } = await server.request('GET', `${policies}/${metadata.name}`);
      if (body.status?.observedGeneration !== body.metadata.generation) return false;
      checks[metadata.name] = body.status.typeChecking?.expressionWarnings ?? [];
      return true;
    });
  }
  return checks;
}

/** Installs every scenario at a server and records what it answers, scenario by scenario. */
export async function recordAnswers(server: PolicyServer, checksTypes: boolean): Promise<RecordedAnswers> {
  await installScenarios(server, allScenarios);
  const answers: Record<string, JudgedAnswer[]> = {};
  const waiting = [...allScenarios];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const judged: JudgedAnswer[] = [];
      for (const request of next.requests) judged.push(await judgeRequest(server, request));
      answers[next.name] = judged;
    }
  };
  await Promise.all(Array.from({ length: scenariosAtOnce }, work));
  const ordered = Object.fromEntries(allScenarios.map(({ name }) => [name, answers[name] ?? []]));
  return { answers: ordered, typeChecks: checksTypes ? await checkTypes(server) : {} };
}
