import { deepEqual } from '../../core/meta/deep.ts';
import { CompileCache } from '../../kinds/admissionregistration/policy/compile-cache.ts';
import { evaluatePolicy, type EvaluationOutcome } from '../../kinds/admissionregistration/policy/evaluate-policy.ts';
import { serveThread } from '../../platform/threads/serve-thread.ts';
import type { EvaluationTask } from './evaluation-task.ts';
import { findKindSchema } from './find-kind-schema.ts';

const cache = new CompileCache();

// Entry of the threads that evaluate policies.
serveThread(({ input, domain, traces, schemas }: EvaluationTask): EvaluationOutcome =>
  evaluatePolicy(input, {
    compile: (policy) => cache.compile(policy),
    findSchema: (kind) => schemas.find((known) => deepEqual(known.kind, kind))?.schema ?? findKindSchema(domain, kind),
    elapsed: () => performance.now() / 1000,
    ...(traces ? { traces: true } : {}),
  }),
);
