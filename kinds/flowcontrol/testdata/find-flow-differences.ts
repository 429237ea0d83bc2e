import { deepEqual } from '../../../core/meta/deep.ts';
import { explainFlow } from '../flow-schema/explain-flow.ts';
import { distinguishFlow, FlowClassifier } from '../flow-schema/flow-classifier.ts';
import type { FlowRequest, FlowUser } from '../flow-schema/flow-request.ts';
import { planDanglingCondition } from '../flow-schema/plan-dangling-condition.ts';
import type { FlowSchema } from '../flow-schema/schema.ts';
import { planFlowConfiguration, type FlowConfiguration } from '../plan-flow-configuration.ts';
import { planConcurrencyLimits } from '../priority-level-configuration/plan-concurrency-limits.ts';
import { planCurrentLimits, type CurrentLimits } from '../priority-level-configuration/plan-current-limits.ts';
import type { PriorityLevelConfiguration } from '../priority-level-configuration/schema.ts';
import { noSeatDemand, updateSeatDemand } from '../priority-level-configuration/seat-demand.ts';

/** A configuration with what is asked about it. */
export interface FlowQuestion {
  readonly schemas: readonly FlowSchema[];
  readonly levels: readonly PriorityLevelConfiguration[];
  readonly totalSeats: number;
  readonly requests: readonly (FlowRequest & FlowUser)[];
  readonly periods: readonly (readonly { readonly millis: number }[])[];
}

/** What Kubernetes answers. */
export interface FlowAnswer {
  readonly failure?: string;
  readonly classified?: readonly { readonly schema: string; readonly level: string; readonly distinguisher: string }[];
  readonly limits?: Readonly<
    Record<string, Readonly<Record<'nominal' | 'min' | 'max' | 'current' | 'maxSeats', number>>>
  >;
  readonly periods?: readonly {
    readonly fairFraction: number;
    readonly levels: Readonly<
      Record<string, Readonly<Record<'highWatermark' | 'average' | 'deviation' | 'smoothed' | 'current', number>>>
    >;
  }[];
  readonly dangling?: Readonly<Record<string, readonly string[]>>;
}

class Differences {
  readonly found: string[] = [];

  compare(what: string, ours: unknown, theirs: unknown): void {
    if (!deepEqual(ours, theirs)) {
      this.found.push(`${what}: ${JSON.stringify(ours)} instead of ${JSON.stringify(theirs)}`);
    }
  }
}

function compareClasses(
  differences: Differences,
  { schemas, levels }: FlowConfiguration,
  { requests }: FlowQuestion,
  theirs: FlowAnswer,
): void {
  const classifier = new FlowClassifier(schemas);
  for (const [i, request] of requests.entries()) {
    const schema = classifier.classify(request, request);
    const level = schema.spec.priorityLevelConfiguration.name;
    const queues = levels.get(level)?.spec.limited?.limitResponse.queuing?.queues ?? 0;
    differences.compare(
      `request ${i}`,
      {
        schema: schema.metadata.name,
        level,
        // Kubernetes does not look for flows where one queue holds them all.
        distinguisher: queues > 1 ? distinguishFlow(schema, request, request) : '',
      },
      {
        schema: theirs.classified?.[i]?.schema,
        level: theirs.classified?.[i]?.level,
        distinguisher: theirs.classified?.[i]?.distinguisher,
      },
    );
    const selected = explainFlow(schemas, request, request).find(({ outcome }) => outcome === 'Selected');
    differences.compare(`explanation ${i}`, (selected?.schema ?? schema).metadata.name, schema.metadata.name);
  }
}

function compareSeats(
  differences: Differences,
  configuration: FlowConfiguration,
  { totalSeats, periods }: FlowQuestion,
  theirs: FlowAnswer,
): void {
  const names = [...configuration.levels.keys()];
  const levels = [...configuration.levels.values()];
  const limits = planConcurrencyLimits(levels, totalSeats);
  const demands = names.map(() => noSeatDemand);
  let currents = limits.map(({ initial }) => initial);
  const divide = (): CurrentLimits => {
    const planned = planCurrentLimits(
      limits.map((limit, i) => ({
        isExempt: levels[i]?.spec.type === 'Exempt',
        limits: limit,
        demand: demands[i] ?? noSeatDemand,
        current: currents[i] ?? 0,
      })),
    );
    currents = planned.levels.map(({ current }) => current);
    return planned;
  };
  divide();
  const ours = names.map((name, i) => {
    const { nominal = 0, min = 0, max = 0, maxSeatsPerRequest = 0 } = limits[i] ?? {};
    return [name, { nominal, min, max, current: currents[i], maxSeats: maxSeatsPerRequest }] as const;
  });
  differences.compare('limits', Object.fromEntries(ours), theirs.limits);
  for (const [p, steps] of periods.entries()) {
    const durationMillis = steps.reduce((sum, { millis }) => sum + millis, 0);
    const told = theirs.periods?.[p];
    for (const [i, name] of names.entries()) {
      const { highWatermark: max = 0, average = 0, deviation = 0 } = told?.levels[name] ?? {};
      demands[i] = updateSeatDemand(demands[i] ?? noSeatDemand, { durationMillis, average, deviation, max });
    }
    const { fairFraction, fault } = divide();
    const seats = names.map((name, i) => [
      name,
      { ...told?.levels[name], smoothed: demands[i]?.smoothed, current: currents[i] },
    ]);
    differences.compare(`period ${p}`, Object.fromEntries(seats), told?.levels);
    if (fault === undefined && Math.abs(fairFraction - (told?.fairFraction ?? -1)) > 1e-9 * Math.max(1, fairFraction)) {
      differences.compare(`fair fraction of period ${p}`, fairFraction, told?.fairFraction);
    }
  }
}

function compareConditions(
  differences: Differences,
  { dangling }: FlowConfiguration,
  { schemas }: FlowQuestion,
  theirs: FlowAnswer,
): void {
  const ours = schemas.flatMap((schema) => {
    const { name = '' } = schema.metadata;
    const condition = planDanglingCondition(schema, !dangling.has(name));
    return condition === undefined ? [] : [[name, [condition.status, condition.reason, condition.message]] as const];
  });
  differences.compare('Dangling', Object.fromEntries(ours), theirs.dangling ?? {});
}

/** What our plans make of a configuration otherwise than Kubernetes; nothing when they agree. */
export function findFlowDifferences(question: FlowQuestion, theirs: FlowAnswer): string[] {
  const differences = new Differences();
  if (theirs.failure !== undefined) return [theirs.failure];
  const configuration = planFlowConfiguration(question.schemas, question.levels, 'k8s.io');
  compareClasses(differences, configuration, question, theirs);
  compareSeats(differences, configuration, question, theirs);
  compareConditions(differences, configuration, question, theirs);
  return differences.found;
}
