import { checkKind } from '../../../kinds/admissionregistration/validating-admission-policy/check-kind.ts';
import type { KindWarnings } from '../../../kinds/admissionregistration/validating-admission-policy/plan-type-checking.ts';
import { serveThread } from '../../../platform/threads/serve-thread.ts';
import type { TypeCheckingTask } from './type-checking-task.ts';

// Entry of the thread that checks the types of long policies.
serveThread(({ spec, kind, params }: TypeCheckingTask): KindWarnings => {
  const steps = checkKind(spec, kind, params);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
});
