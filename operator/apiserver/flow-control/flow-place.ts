import type { FlowConfiguration } from '../../../kinds/flowcontrol/plan-flow-configuration.ts';
import type { FlowSchema } from '../../../kinds/flowcontrol/flow-schema/schema.ts';
import type { PriorityLevelConfiguration } from '../../../kinds/flowcontrol/priority-level-configuration/schema.ts';
import { Histogram } from './dispatch/histogram.ts';

const WATCH_BOUNDS = [0, 1, 10, 100, 1000, 10_000];

/** Where the requests of one FlowSchema go: all that is known of it before a request comes. */
export interface FlowPlace {
  readonly schema: string;
  readonly schemaUid: string;
  readonly level: string;
  readonly levelUid: string;
  readonly isExempt: boolean;
  /** Whether its flows are told apart: only a level with more than one queue has a use for that. */
  readonly hasFlows: boolean;
  /** How many watches its writes were estimated to concern. */
  readonly watchCounts: Histogram;
}

function makePlace(
  schema: FlowSchema,
  level: PriorityLevelConfiguration | undefined,
  known: FlowPlace | undefined,
): FlowPlace {
  const levelName = schema.spec.priorityLevelConfiguration.name;
  const isSame = known?.level === levelName;
  return {
    schema: schema.metadata.name ?? '',
    schemaUid: schema.metadata.uid ?? '',
    level: levelName,
    levelUid: level?.metadata.uid ?? '',
    isExempt: level?.spec.type === 'Exempt',
    hasFlows: (level?.spec.limited?.limitResponse.queuing?.queues ?? 0) > 1,
    watchCounts: isSame ? known.watchCounts : new Histogram(WATCH_BOUNDS),
  };
}

/** The places of all schemas in force. What was counted in `known` goes on where schema and level have kept their names. */
export function makeFlowPlaces(
  { schemas, levels }: FlowConfiguration,
  known: ReadonlyMap<FlowSchema, FlowPlace>,
): Map<FlowSchema, FlowPlace> {
  const byName = new Map([...known.values()].map((place) => [place.schema, place]));
  return new Map(
    schemas.map((schema) => {
      const level = levels.get(schema.spec.priorityLevelConfiguration.name);
      return [schema, makePlace(schema, level, byName.get(schema.metadata.name ?? ''))];
    }),
  );
}
