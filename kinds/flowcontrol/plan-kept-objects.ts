import { deepClone, deepEqual } from '../../core/meta/deep.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import { mandatoryFlowSchemas } from './flow-schema/mandatory.ts';
import type { FlowSchema } from './flow-schema/schema.ts';
import { suggestedFlowSchemas } from './flow-schema/suggested.ts';
import { mandatoryPriorityLevels } from './priority-level-configuration/mandatory.ts';
import type { PriorityLevelConfiguration, PriorityLevelSpec } from './priority-level-configuration/schema.ts';
import { suggestedPriorityLevels } from './priority-level-configuration/suggested.ts';

/** Whether the spec of a suggested object is kept: `false` lets people have it as they like. */
export const autoUpdateAnnotation = 'apf.kubernetes.io/autoupdate-spec';

/** A write that brings what is stored to what is kept; an update is bound to the version that was read. */
export type KeptObjectWrite<T extends KubeObject> =
  { readonly action: 'create' | 'update'; readonly object: T } | { readonly action: 'delete'; readonly name: string };

type Spec<T> = T extends { readonly spec: infer S } ? S : never;

interface Kept<T extends KubeObject> {
  readonly kind: string;
  readonly mandatory: ReadonlyMap<string, Spec<T>>;
  readonly suggested: ReadonlyMap<string, Spec<T>>;
  /** Whether a stored spec is the one that is kept, up to what is free. */
  readonly isKept: (stored: Spec<T>, kept: Spec<T>, name: string) => boolean;
}

/** A boolean as Go reads it; `undefined` when the text is none. */
function parseGoBoolean(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(text)) return true;
  return ['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(text) ? false : undefined;
}

/** A suggested object that does not say whether its spec is kept was changed by somebody once its generation is not the first. */
function followsSuggestion({ metadata }: KubeObject): boolean {
  return parseGoBoolean(metadata.annotations?.[autoUpdateAnnotation]) ?? metadata.generation === 1;
}

function planOne<T extends KubeObject & { spec: unknown }>(
  { isKept, mandatory }: Kept<T>,
  stored: T,
  spec: Spec<T>,
): KeptObjectWrite<T>[] {
  const { name = '', annotations = {} } = stored.metadata;
  const keepsSpec = mandatory.has(name) || followsSuggestion(stored);
  const isAnnotated = parseGoBoolean(annotations[autoUpdateAnnotation]) === keepsSpec;
  const isSpecRight = !keepsSpec || isKept(stored.spec as Spec<T>, spec, name);
  if (isAnnotated && isSpecRight) return [];
  const object: T = {
    ...stored,
    ...(isSpecRight ? {} : { spec: deepClone(spec) }),
    metadata: {
      ...stored.metadata,
      annotations: isAnnotated ? annotations : { ...annotations, [autoUpdateAnnotation]: String(keepsSpec) },
    },
  };
  return [{ action: 'update', object }];
}

function planAll<T extends KubeObject & { spec: unknown }>(
  kept: Kept<T>,
  stored: readonly T[],
  domain: string,
): KeptObjectWrite<T>[] {
  const byName = new Map(stored.map((object) => [object.metadata.name ?? '', object]));
  const wanted = new Map([...kept.suggested, ...kept.mandatory]);
  const writes = [...wanted].flatMap(([name, spec]): KeptObjectWrite<T>[] => {
    const object = byName.get(name);
    if (object !== undefined) return planOne(kept, object, spec);
    const created = {
      apiVersion: `flowcontrol.apiserver.${domain}/v1`,
      kind: kept.kind,
      metadata: { name, annotations: { [autoUpdateAnnotation]: 'true' } },
      spec: deepClone(spec),
    };
    return [{ action: 'create', object: created as unknown as T }];
  });
  const dropped = [...byName].flatMap(([name, { metadata }]): KeptObjectWrite<T>[] => {
    const isOurs = parseGoBoolean(metadata.annotations?.[autoUpdateAnnotation]) === true;
    return isOurs && !wanted.has(name) ? [{ action: 'delete', name }] : [];
  });
  return [...writes, ...dropped];
}

/** The lending of the exempt level is free. */
function isLevelKept(stored: PriorityLevelSpec, kept: PriorityLevelSpec, name: string): boolean {
  if (name !== 'exempt') return deepEqual(stored, kept);
  return stored.exempt !== undefined && deepEqual({ ...stored, exempt: {} }, { ...kept, exempt: {} });
}

/**
 * The writes that make the mandatory and suggested schemas as they are kept: what is missing is made again, a mandatory spec is restored, a
 * suggested one unless people have taken it over, and what was suggested once and is no longer goes. `stored` bears the kind's defaults.
 */
export function planKeptFlowSchemas(stored: readonly FlowSchema[], domain: string): KeptObjectWrite<FlowSchema>[] {
  return planAll<FlowSchema>(
    { kind: 'FlowSchema', mandatory: mandatoryFlowSchemas, suggested: suggestedFlowSchemas, isKept: deepEqual },
    stored,
    domain,
  );
}

/** As `planKeptFlowSchemas`, for levels. */
export function planKeptPriorityLevels(
  stored: readonly PriorityLevelConfiguration[],
  domain: string,
): KeptObjectWrite<PriorityLevelConfiguration>[] {
  return planAll<PriorityLevelConfiguration>(
    {
      kind: 'PriorityLevelConfiguration',
      mandatory: mandatoryPriorityLevels,
      suggested: suggestedPriorityLevels,
      isKept: isLevelKept,
    },
    stored,
    domain,
  );
}
