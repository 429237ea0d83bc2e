import type { Taint } from './node-object.ts';
import { kubernetesTaintPrefix } from './node-taint-keys.ts';

/** What a pod puts up with; without seconds, for ever. Fields that are absent, or empty, match anything, but for the operator. */
export interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number | bigint;
}

/** Whether a key of a toleration means the taint: its own, or Kubernetes' of the same name, which workloads know under any domain. */
function isKeyOf(key: string, taintKey: string, prefix: string): boolean {
  if (key === taintKey) return true;
  const before = `${prefix}/`;
  return taintKey.startsWith(before) && key === `${kubernetesTaintPrefix}/${taintKey.slice(before.length)}`;
}

/** Whether a pod with this toleration stays where the taint is. `prefix` is that of the keys that follow from a node's health. */
export function toleratesTaint(toleration: Toleration, taint: Taint, prefix: string): boolean {
  const { key = '', operator = '', value = '', effect = '' } = toleration;
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && !isKeyOf(key, taint.key, prefix)) return false;
  if (operator === 'Exists') return true;
  return (operator === '' || operator === 'Equal') && value === (taint.value ?? '');
}

/**
 * The tolerations of a pod with those that it lacks: of a node that is not ready, and of one that is out of reach, for so many seconds each;
 * `undefined` when it says something of both. As in Kubernetes, a toleration of the key counts whatever its value or operator.
 */
export function addDefaultTolerations(
  tolerations: readonly Toleration[],
  defaults: readonly { readonly key: string; readonly seconds: number }[],
  prefix: string,
): Toleration[] | undefined {
  const effect = 'NoExecute';
  const lacking = defaults.filter(
    ({ key }) =>
      !tolerations.some((toleration) => {
        const ownKey = toleration.key ?? '';
        const ownEffect = toleration.effect ?? '';
        return (ownKey === '' || isKeyOf(ownKey, key, prefix)) && (ownEffect === '' || ownEffect === effect);
      }),
  );
  if (lacking.length === 0) return undefined;
  const added = lacking.map(({ key, seconds }) => ({ key, operator: 'Exists', effect, tolerationSeconds: seconds }));
  return [...tolerations, ...added];
}
