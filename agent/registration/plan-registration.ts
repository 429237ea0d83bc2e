import type { Taint } from '../../kinds/core/node/node-object.ts';
import type { AgentNode, MeasuredNode } from '../status/agent-node.ts';

/** What a Node is registered with besides what was measured. */
export interface RegistrationSettings {
  readonly domain: string;
  readonly taints: readonly Taint[];
  /** Empty: none. */
  readonly providerId: string;
}

/** Labels that follow from the machine, whatever a Node of that name said before. */
const machineLabels = [
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
];

/** The taint that keeps pods from a node whose agent does not run any. */
function nameNoPodsTaint(domain: string): string {
  return `node.${domain}/no-pods`;
}

/** The Node as it is registered: with the given taints, and one that keeps pods away, since nobody would run them. */
export function planNewNode(measured: MeasuredNode, settings: RegistrationSettings): AgentNode {
  const key = nameNoPodsTaint(settings.domain);
  const given = settings.taints.filter((taint) => taint.key !== key);
  const taints = [...given, { key, effect: 'NoSchedule' }];
  return {
    ...measured,
    spec: { ...(settings.providerId === '' ? {} : { providerID: settings.providerId }), taints },
  };
}

/** Labels of the machine that a Node of that name lacks or has otherwise; `undefined` when they are right. */
export function planLabels(existing: AgentNode, measured: AgentNode): Record<string, string> | undefined {
  const [known, wanted] = [existing.metadata.labels ?? {}, measured.metadata.labels ?? {}];
  const changes = machineLabels.flatMap((key) => {
    const value = wanted[key];
    return value === undefined || known[key] === value ? [] : [[key, value] as const];
  });
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}
