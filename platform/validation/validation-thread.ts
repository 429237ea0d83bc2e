import { defineCustomKinds } from '../../kinds/apiextensions/custom-resource/define-custom-kinds.ts';
import type { CustomResourceDefinition } from '../../kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts';
import { judgeCreate, judgeUpdate, type WriteJudgement } from '../../kinds/judge-write.ts';
import type { KindDefinition } from '../../kinds/kind-definition.ts';
import { buildKindRegistry, type KindRegistry } from '../../kinds/registry.ts';
import { serveThread } from '../threads/serve-thread.ts';
import type { ValidationTask } from './validation-task.ts';

/** Definitions whose kinds are kept made; making them again costs less than keeping all. */
const keptDefinitions = 16;

const defined = new Map<string, readonly KindDefinition[]>();
let registry: KindRegistry | undefined;

function defineKinds(definition: CustomResourceDefinition): readonly KindDefinition[] {
  const { uid = '', generation = 0 } = definition.metadata;
  const key = `${uid} ${generation}`;
  let kinds = defined.get(key);
  if (kinds === undefined) {
    kinds = defineCustomKinds(definition);
    const [oldest] = defined.keys();
    if (defined.size >= keptDefinitions && oldest !== undefined) defined.delete(oldest);
    defined.set(key, kinds);
  }
  return kinds;
}

function findKind({ definition, group, version, plural, context }: ValidationTask): KindDefinition | undefined {
  if (definition !== undefined) return defineKinds(definition).find((kind) => kind.version === version);
  if (registry?.domain !== context.domain) registry = buildKindRegistry(context.domain);
  return registry.find(group, version, plural);
}

// Entry of the threads that judge writes.
serveThread(async (task: ValidationTask): Promise<WriteJudgement> => {
  const { group, version, plural, object, old, isStatus } = task;
  const kind = findKind(task);
  if (kind === undefined) throw new Error(`there is no kind ${plural} in ${group}/${version}`);
  await kind.strategy.loadChecks?.();
  const context = { ...task.context, mayTakeLong: true };
  if (old === undefined) return judgeCreate(kind.strategy, object, context);
  const strategy = isStatus === true ? kind.strategy.status : kind.strategy;
  if (strategy === undefined) throw new Error(`${plural} in ${group}/${version} have no status`);
  return judgeUpdate(strategy, object, old, context);
});
