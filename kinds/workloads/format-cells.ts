import { formatLabelSelector } from '../../core/selectors/label-selector.ts';
import type { PrinterColumn } from '../kind-definition.ts';
import { readField, readItems, readObject, readText, readTexts } from './read-field.ts';

/** A column that `-o wide` adds. */
export function wideColumn(name: string, type: PrinterColumn['type'] = 'string'): PrinterColumn {
  return { name, type, description: '', priority: 1 };
}

/** A column that is always shown. */
export function shownColumn(name: string, type: PrinterColumn['type'] = 'string'): PrinterColumn {
  return { name, type, description: '', priority: 0 };
}

/** Labels as `a=b,c=d` in key order; `<none>` when there are none. */
function formatLabels(labels: Readonly<Record<string, string>>): string {
  const keys = Object.keys(labels).sort();
  return keys.length === 0 ? '<none>' : keys.map((key) => `${key}=${labels[key]}`).join(',');
}

/** The label selector at a path, as `kubectl get -o wide` shows it. */
export function formatSelectorAt(value: unknown, ...path: string[]): string {
  return formatLabelSelector(readObject(value, ...path)) || '<none>';
}

/** The labels at a path. */
export function formatLabelsAt(value: unknown, ...path: string[]): string {
  return formatLabels(readTexts(value, ...path));
}

/** Names and images of the containers of the pod template at a path. */
export function formatContainers(value: unknown, ...path: string[]): [string, string] {
  const containers = readItems(value, ...path, 'spec', 'containers');
  return [
    containers.map((container) => readText(container, 'name')).join(','),
    containers.map((container) => readText(container, 'image')).join(','),
  ];
}

/** Items joined by commas, three at most and the count of the rest; `whenEmpty` when there are none. */
export function formatSome(items: readonly string[], whenEmpty: string): string {
  if (items.length > 3) return `${items.slice(0, 3).join(',')} + ${items.length - 3} more...`;
  return items.join(',') || whenEmpty;
}

/** Access modes in their short form (`RWO,ROX`), each once. */
export function formatAccessModes(modes: readonly unknown[]): string {
  const short: readonly [string, string][] = [
    ['ReadWriteOnce', 'RWO'],
    ['ReadOnlyMany', 'ROX'],
    ['ReadWriteMany', 'RWX'],
    ['ReadWriteOncePod', 'RWOP'],
  ];
  return short
    .filter(([mode]) => modes.includes(mode))
    .map(([, text]) => text)
    .join(',');
}

/** The text, number or flag at a path, or `otherwise` when there is none. */
export function formatOptional(otherwise: string, value: unknown, ...path: string[]): string {
  const found = readField(value, ...path);
  return typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean' ? `${found}` : otherwise;
}
