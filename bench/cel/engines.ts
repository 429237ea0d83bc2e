import { Environment } from '@marcbachmann/cel-js';
import { evaluate as evaluatePlain, parse as parsePlain } from 'cel-js';

import { compileExpression } from '../../core/cel/compile-expression.ts';
import { buildKubernetesEnvironment } from '../../core/cel/kubernetes-environment.ts';
import { CostMeter } from '../../core/cel/plan/cost-meter.ts';
import { dynType } from '../../core/cel/types/cel-type.ts';
import type { CelValue } from '../../core/cel/values/cel-value.ts';
import { toCelValue } from '../../core/cel/values/json-value.ts';
import type { JsonValue } from '../../core/meta/json.ts';
import type { Oracle } from '../../test/oracle/start-oracle.ts';
import { benchVariables } from './expressions.ts';

/** An engine with one expression compiled. */
export interface CompiledBench {
  /** What the expression yields, as JSON. */
  readonly result: unknown;
  /** Evaluates for about so long and yields the nanoseconds of one evaluation. */
  measure(millis: number): Promise<number>;
}

/** Compiles an expression; undefined when the engine lacks what it needs. */
export type BenchEngine = (source: string) => Promise<CompiledBench | undefined>;

const callLimit = 1_000_000;
const batch = 64;

async function measureBatches(evaluate: () => unknown, millis: number): Promise<number> {
  const began = process.hrtime.bigint();
  const deadline = began + BigInt(millis) * 1_000_000n;
  let count = 0;
  let now = began;
  while (now < deadline) {
    for (let turn = 0; turn < batch; turn++) evaluate();
    count += batch;
    now = process.hrtime.bigint();
  }
  return Number(now - began) / count;
}

/** A benchmark of what `evaluate` does; undefined when it fails. */
function makeBench(evaluate: () => unknown): CompiledBench | undefined {
  try {
    const result = evaluate();
    return { result, measure: (millis) => measureBatches(evaluate, millis) };
  } catch {
    return undefined;
  }
}

/** This project's engine: JSON is wrapped and cost is metered anew for each evaluation. */
export const evaluateHere: BenchEngine = async (source) => {
  const names = Object.keys(benchVariables);
  const variables = Object.fromEntries(names.map((name) => [name, dynType]));
  const compilation = compileExpression(source, buildKubernetesEnvironment({ mode: 'new', variables }));
  const { program } = compilation;
  if (program === undefined) throw new Error(`cannot compile ${source}`);
  return makeBench(() => {
    const values: Record<string, CelValue> = {};
    for (const name of names) values[name] = toCelValue(benchVariables[name]);
    return program.evaluate(values, new CostMeter(callLimit));
  });
};

/** cel-go in Kubernetes' environment of policies, metered. */
export function makeCelGo(oracle: Oracle): BenchEngine {
  return async (source) => {
    const variables = Object.fromEntries(
      Object.entries(benchVariables).map(([name, value]) => [name, { json: value as JsonValue }] as const),
    );
    const request = { expression: source, policy: {}, variables };
    const { result, error, text } = await oracle.ask(request);
    if (result === undefined) throw new Error(`cel-go does not evaluate ${source}: ${error ?? text}`);
    const measure = async (benchMillis: number): Promise<number> => {
      const { nanosPerEvaluation } = await oracle.ask({ ...request, benchMillis });
      return nanosPerEvaluation ?? Number.NaN;
    };
    return { result: result['bool'] ?? result['string'], measure };
  };
}

/** The npm package cel-js. */
export const evaluateCelJs: BenchEngine = async (source) => {
  const parsed = parsePlain(source);
  return parsed.isSuccess ? makeBench(() => evaluatePlain(parsed.cst, { ...benchVariables })) : undefined;
};

/** The npm package @marcbachmann/cel-js; its integers are bigints, which the variables have beforehand. */
export const evaluateMarcBachmann: BenchEngine = async (source) => {
  const environment = new Environment({ unlistedVariablesAreDyn: true, enableOptionalTypes: true });
  const variables = convertIntegers(benchVariables) as Record<string, unknown>;
  try {
    const evaluate = environment.parse(source);
    return makeBench(() => evaluate(variables));
  } catch {
    return undefined;
  }
};

function convertIntegers(value: unknown): unknown {
  if (typeof value === 'number') return BigInt(value);
  if (Array.isArray(value)) return value.map(convertIntegers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, convertIntegers(each)]));
}
