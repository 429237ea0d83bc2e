/** What a family of metrics is like: its type, the names of its labels, and the upper bounds of its buckets. */
export interface MetricFamily {
  readonly type: string;
  /** Sorted, each combination once. */
  readonly labels: readonly string[];
  readonly buckets: readonly string[];
}

/** Families by name. */
export type MetricFamilies = ReadonlyMap<string, MetricFamily>;

/** Families of flow control that have a series; of those with a priority level, only the series of `level` are looked at. */
export function readMetricFamilies(text: string, level: string): MetricFamilies {
  const types = new Map<string, string>();
  const labels = new Map<string, Set<string>>();
  const buckets = new Map<string, Set<string>>();
  for (const line of text.split('\n')) {
    const [, name = '', type = ''] = /^# TYPE (apiserver_flowcontrol_\S+) (\S+)/.exec(line) ?? [];
    if (name !== '') types.set(name, type);
    const [, series = '', labelText = ''] = /^(apiserver_flowcontrol_[^ {]+)(?:\{(.*)\})? /.exec(line) ?? [];
    if (series === '' || (labelText.includes('priority_level=') && !labelText.includes(`priority_level="${level}"`)))
      continue;
    const family = types.has(series) ? series : series.replace(/_(bucket|sum|count)$/, '');
    const pairs = [...labelText.matchAll(/([a-z_]+)="([^"]*)"/g)].map(
      ([, key = '', value = '']) => [key, value] as const,
    );
    const bound = pairs.find(([key]) => key === 'le')?.[1];
    if (bound !== undefined) buckets.set(family, (buckets.get(family) ?? new Set()).add(bound));
    const fixed = new Set(['phase', 'request_kind']);
    const shown = pairs
      .filter(([key]) => key !== 'le')
      .map(([key, value]) => (fixed.has(key) ? `${key}=${value}` : key));
    labels.set(family, (labels.get(family) ?? new Set()).add(shown.toSorted().join()));
  }
  return new Map(
    [...labels].map(([name, found]) => [
      name,
      { type: types.get(name) ?? '', labels: [...found].toSorted(), buckets: [...(buckets.get(name) ?? [])] },
    ]),
  );
}
