import type { JsonObject } from '../../../core/meta/json.ts';
import { readItems, readNumber, readText } from '../../workloads/read-field.ts';

const unknown = '<unknown>';
const shownMetrics = 2;
const members: Readonly<Record<string, string>> = {
  External: 'external',
  Pods: 'pods',
  Object: 'object',
  Resource: 'resource',
  ContainerResource: 'containerResource',
};

function formatMetric(spec: JsonObject, status: JsonObject | undefined): string {
  const type = readText(spec, 'type');
  const member = members[type];
  if (member === undefined) return '<unknown type>';
  const average = readText(spec, member, 'target', 'averageValue');
  const currentAverage = readText(status, member, 'current', 'averageValue') || unknown;
  if (type === 'Pods') return `${currentAverage}/${average}`;
  if (type === 'External' || type === 'Object') {
    if (average !== '') return `${currentAverage}/${average} (avg)`;
    const current = readText(status, member, 'current', 'value') || unknown;
    return `${current}/${readText(spec, member, 'target', 'value')}`;
  }
  const name = readText(spec, member, 'name');
  if (average !== '') return `${name}: ${currentAverage}/${average}`;
  const current = readNumber(status, member, 'current', 'averageUtilization');
  const target = readNumber(spec, member, 'target', 'averageUtilization');
  const format = (percent: number | undefined, otherwise: string): string =>
    percent === undefined ? otherwise : `${percent}%`;
  return `${name}: ${format(current, unknown)}/${format(target, '<auto>')}`;
}

/** What is measured, over what it should be: the first two metrics of an autoscaler, and how many more there are. */
export function formatMetrics(autoscaler: unknown): string {
  const specs = readItems(autoscaler, 'spec', 'metrics');
  if (specs.length === 0) return '<none>';
  const statuses = readItems(autoscaler, 'status', 'currentMetrics');
  const texts = specs.map((spec, index) => formatMetric(spec, statuses[index]));
  const shown = texts.slice(0, shownMetrics).join(', ');
  return texts.length > shownMetrics ? `${shown} + ${texts.length - shownMetrics} more...` : shown;
}
