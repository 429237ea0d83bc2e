import { cpus, loadavg } from 'node:os';

import { findMedian } from '../test/host/figures.ts';
import { startOracle } from '../test/oracle/start-oracle.ts';
import { type BenchEngine, type CompiledBench, evaluateCelJs, evaluateHere } from './cel/engines.ts';
import { evaluateMarcBachmann, makeCelGo } from './cel/engines.ts';
import { benchExpressions } from './cel/expressions.ts';

const ratioGoal = 5;

function readNumber(name: string, fallback: number): number {
  const place = process.argv.indexOf(`--${name}`);
  return place < 0 ? fallback : Number(process.argv[place + 1]);
}

const rounds = readNumber('rounds', 21);
const sliceMillis = readNumber('slice-millis', 15);

const oracle = await startOracle();
try {
  const engines: Readonly<Record<string, BenchEngine>> = {
    here: evaluateHere,
    'cel-go': makeCelGo(oracle),
    'cel-js': evaluateCelJs,
    '@marcbachmann': evaluateMarcBachmann,
  };
  const names = Object.keys(engines);
  console.log(`${cpus().length} cores, Node ${process.version}, load ${loadavg()[0]?.toFixed(1)}`);
  console.log(
    `nanoseconds of one evaluation, median of ${rounds} rounds in turns; cel-go: as Kubernetes runs it, metered`,
  );
  console.log(['expression'.padEnd(22), ...names.map((name) => name.padStart(14)), 'x cel-go'.padStart(10)].join(' '));
  const ratios: number[] = [];
  for (const { name, source } of benchExpressions) {
    const compiled = new Map<string, CompiledBench>();
    for (const [engineName, compile] of Object.entries(engines)) {
      const bench = await compile(source);
      if (bench !== undefined) compiled.set(engineName, bench);
    }
    const expected = compiled.get('cel-go')?.result;
    // an engine that yields something else is no measure
    for (const [engineName, { result }] of compiled) if (result !== expected) compiled.delete(engineName);
    const figures = new Map<string, number[]>();
    for (const bench of compiled.values()) await bench.measure(sliceMillis);
    for (let round = 0; round < rounds; round += 1) {
      for (const [engineName, bench] of compiled) {
        const nanos = await bench.measure(sliceMillis);
        figures.set(engineName, [...(figures.get(engineName) ?? []), nanos]);
      }
    }
    const medians = names.map((engineName) => findMedian(figures.get(engineName) ?? []));
    const ratio = medians[1]! / medians[0]!;
    ratios.push(ratio);
    const columns = medians.map((nanos) => (Number.isNaN(nanos) ? '-' : nanos.toFixed(0)).padStart(14));
    console.log([name.padEnd(22), ...columns, ratio.toFixed(1).padStart(10)].join(' '));
  }
  const least = Math.min(...ratios);
  const median = findMedian(ratios);
  console.log(
    `cel-go / here: median ${median.toFixed(1)}, least ${least.toFixed(1)} (goal: median at least ${ratioGoal})`,
  );
  process.exitCode = median >= ratioGoal ? 0 : 1;
} finally {
  await oracle.stop();
}
