import { compileFlowRules } from '../../../kinds/flowcontrol/flow-schema/compile-flow-rules.ts';
import { FlowClassifier } from '../../../kinds/flowcontrol/flow-schema/flow-classifier.ts';
import type { FlowSchema } from '../../../kinds/flowcontrol/flow-schema/schema.ts';
import { EventLoopYield } from '../../../platform/process/event-loop-yield.ts';

/** Compiles the classifier of schemas, in the order in which they are asked, a slice at a time; one slice is done before this returns. */
export async function compileClassifier(
  schemas: readonly FlowSchema[],
  slices = new EventLoopYield(),
): Promise<FlowClassifier> {
  const steps = compileFlowRules(schemas);
  let step = steps.next();
  while (step.done !== true) {
    if (slices.isDue()) await slices.pause();
    step = steps.next();
  }
  return new FlowClassifier(schemas, step.value);
}
