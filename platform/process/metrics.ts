import {
  collectDefaultMetrics,
  Registry,
  type Metric,
  type MetricObjectWithValues,
  type MetricValue,
} from 'prom-client';
import { EventLoopYield } from './event-loop-yield.ts';

export type { Registry } from 'prom-client';

/** A metric with its series, as the library knows it while it prints. */
type ReadMetric = MetricObjectWithValues<MetricValue<string>>;

interface PrintableMetric {
  get(): Promise<ReadMetric>;
  getForPromString?(): Promise<ReadMetric>;
}

const SERIES_AT_ONCE = 250;

/** Prints a slice at a time: some metrics have thousands of series. */
class SlicedRegistry extends Registry {
  override async metrics(): Promise<string> {
    const slices = new EventLoopYield();
    const texts: string[] = [];
    for (const metric of this.getMetricsAsArray()) {
      texts.push(await this.#print(metric as unknown as PrintableMetric, slices));
    }
    return `${texts.join('\n\n')}\n`;
  }

  async #print(metric: PrintableMetric, slices: EventLoopYield): Promise<string> {
    const read = metric.getForPromString === undefined ? await metric.get() : await metric.getForPromString();
    const { values } = read;
    let text = await this.#printSome(read, values.slice(0, SERIES_AT_ONCE));
    await slices.pause();
    for (let from = SERIES_AT_ONCE; from < values.length; from += SERIES_AT_ONCE) {
      const more = await this.#printSome(read, values.slice(from, from + SERIES_AT_ONCE));
      // Each part begins with the lines of help and type.
      text += more.slice(more.indexOf('\n', more.indexOf('\n') + 1));
      await slices.pause();
    }
    return text;
  }

  async #printSome(read: ReadMetric, values: ReadMetric['values']): Promise<string> {
    const part = new Registry();
    part.registerMetric({ name: read.name, get: async () => ({ ...read, values }) } as unknown as Metric);
    return (await part.metrics()).trimEnd();
  }
}

/** A registry of its own with the process's metrics (CPU, memory, event loop); nothing is registered globally. */
export function createMetricsRegistry(): Registry {
  const registry = new SlicedRegistry();
  collectDefaultMetrics({ register: registry });
  return registry;
}
