import type { JsonObject, JsonValue } from '../../../core/meta/json.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { ensureObject, fillField, readList, readObject } from '../../workloads/read-field.ts';

const periodSeconds = 15;
const defaultUtilization = 80;

function makePolicy(type: 'Pods' | 'Percent', value: number): JsonObject {
  return { type, value, periodSeconds };
}

/** What a direction of scaling is where the client says nothing of it; scaling down waits as long as the controller's flag says. */
const defaultRules: Readonly<Record<'scaleUp' | 'scaleDown', () => Record<string, JsonValue>>> = {
  scaleUp: () => ({
    stabilizationWindowSeconds: 0,
    selectPolicy: 'Max',
    policies: [makePolicy('Pods', 4), makePolicy('Percent', 100)],
  }),
  scaleDown: () => ({ selectPolicy: 'Max', policies: [makePolicy('Percent', 100)] }),
};

/** Fills what a HorizontalPodAutoscaler leaves out: one replica at least, 80 % of the CPU, and both directions of a behavior. */
export function applyAutoscalerDefaults(autoscaler: KubeObject): void {
  const spec = ensureObject(autoscaler, 'spec');
  fillField(spec, 'minReplicas', 1);
  if (readList(spec, 'metrics').length === 0) {
    const target = { type: 'Utilization', averageUtilization: defaultUtilization };
    spec['metrics'] = [{ type: 'Resource', resource: { name: 'cpu', target } }];
  }
  const behavior = readObject(spec, 'behavior');
  if (behavior === undefined) return;
  for (const direction of ['scaleUp', 'scaleDown'] as const) {
    const rules = ensureObject(behavior, direction);
    for (const [key, value] of Object.entries(defaultRules[direction]())) fillField(rules, key, value);
  }
}
