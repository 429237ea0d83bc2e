import { deepEqual } from '../../core/meta/deep.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import {
  planKeptFlowSchemas,
  planKeptPriorityLevels,
  type KeptObjectWrite,
} from '../../kinds/flowcontrol/plan-kept-objects.ts';
import type { FlowOracleAnswer, FlowOracleRequest } from '../oracle/flow-oracle-protocol.ts';

interface Written {
  readonly spec: unknown;
  readonly annotations: unknown;
}

function describe(object: KubeObject & { readonly spec?: unknown }): Written {
  return { spec: object.spec, annotations: object.metadata.annotations };
}

function nameWrites<T extends KubeObject & { readonly spec?: unknown }>(
  kind: string,
  writes: readonly KeptObjectWrite<T>[],
): [string, Written | undefined][] {
  return writes.map((write) =>
    write.action === 'delete'
      ? [`delete ${kind} ${write.name}`, undefined]
      : [`${write.action} ${kind} ${write.object.metadata.name}`, describe(write.object)],
  );
}

/** Which writes keep the objects here otherwise than in Kubernetes; nothing when they agree. */
export function findKeptDifferences(
  { schemas = [], levels = [] }: FlowOracleRequest,
  { failure, writes = [] }: FlowOracleAnswer,
): string[] {
  if (failure !== undefined) return [failure];
  const ours = new Map([
    ...nameWrites('flowschemas', planKeptFlowSchemas(schemas, 'k8s.io')),
    ...nameWrites('prioritylevelconfigurations', planKeptPriorityLevels(levels, 'k8s.io')),
  ]);
  const theirs = new Map(
    writes.map(({ verb, kind, name, object }) => [
      `${verb} ${kind} ${name}`,
      object === undefined ? undefined : describe(object),
    ]),
  );
  const names = new Set([...ours.keys(), ...theirs.keys()]);
  return [...names].flatMap((name) => {
    if (ours.has(name) && theirs.has(name) && deepEqual(ours.get(name), theirs.get(name))) return [];
    return [`${name}: ${JSON.stringify(ours.get(name))} instead of ${JSON.stringify(theirs.get(name))}`];
  });
}
