import { judgeCreate, judgeUpdate, type WriteJudgement } from '../../kinds/judge-write.ts';
import { buildKindRegistry, type KindRegistry } from '../../kinds/registry.ts';
import { serveThread } from '../threads/serve-thread.ts';
import type { ValidationTask } from './validation-task.ts';

let registry: KindRegistry | undefined;

// Entry of the threads that judge writes.
serveThread(({ group, version, plural, object, old, context }: ValidationTask): WriteJudgement => {
  if (registry?.domain !== context.domain) registry = buildKindRegistry(context.domain);
  const kind = registry.find(group, version, plural);
  if (kind === undefined) throw new Error(`there is no kind ${plural} in ${group}/${version}`);
  return old === undefined
    ? judgeCreate(kind.strategy, object, context)
    : judgeUpdate(kind.strategy, object, old, context);
});
