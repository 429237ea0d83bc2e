import { parseGoDuration } from '../../core/time/parse-go-duration.ts';
import { checkDns1123Subdomain } from '../../core/validation/names.ts';
import type { FlagDefinition, FlagValues } from '../../platform/process/parse-flags.ts';
import {
  defaultNodeLifecycleSettings as defaults,
  type NodeLifecycleSettings,
} from '../controllers/node-lifecycle/node-lifecycle-settings.ts';

type Parsed<T> = { readonly value: T } | { readonly fault: string };

/** The longest that timers and times are sure to hold: ten years. */
const maxMillis = 10 * 365 * 86_400_000;

function parseDuration(text: string): Parsed<string> {
  const parsed = parseGoDuration(text);
  if ('fault' in parsed) return parsed;
  const isUsable = parsed.millis >= 1 && parsed.millis <= maxMillis;
  return isUsable ? { value: text } : { fault: 'must be a duration from 1ms to 87600h' };
}

function parseNumber(least: number, most: number) {
  return (text: string): Parsed<number> => {
    const number = /^\d{1,9}(?:\.\d{1,9})?(?:e-\d{1,2})?$/.test(text) ? Number(text) : NaN;
    return number >= least && number <= most ? { value: number } : { fault: `must be a number, ${least} to ${most}` };
  };
}

function parseCount(text: string): Parsed<number> {
  return /^\d{1,9}$/.test(text) ? { value: Number(text) } : { fault: 'must be a number, 0 or more' };
}

function parsePrefix(text: string): Parsed<string> {
  const faults = checkDns1123Subdomain(text);
  return faults.length === 0 ? { value: text } : { fault: faults.join('; ') };
}

function defineDuration(millis: number, description: string): FlagDefinition<string> {
  return { fallback: `${millis / 1_000}s`, valueName: 'DURATION', description, parse: parseDuration };
}

function defineRate(fallback: number, description: string): FlagDefinition<number> {
  return { fallback, valueName: 'N', description, parse: parseNumber(0, 1_000) };
}

function defineCount(fallback: number, description: string): FlagDefinition<number> {
  return { fallback, valueName: 'N', description, parse: parseCount };
}

/** How nodes are watched; names and defaults are Kubernetes'. */
export const nodeLifecycleFlags = {
  'node-monitor-period': defineDuration(defaults.monitorPeriodMillis, 'time between two looks at all nodes'),
  'node-monitor-grace-period': defineDuration(
    defaults.monitorGraceMillis,
    'how long a node may be silent before nothing is known of it',
  ),
  'node-startup-grace-period': defineDuration(
    defaults.startupGraceMillis,
    'the same for a node that has never posted its status',
  ),
  'node-eviction-rate': defineRate(defaults.evictionRate, 'nodes a second that are emptied in a zone that is healthy'),
  'secondary-node-eviction-rate': defineRate(
    defaults.secondaryEvictionRate,
    'nodes a second that are emptied in a large zone that is not',
  ),
  'large-cluster-size-threshold': defineCount(
    defaults.largeZoneSize,
    'a zone of more nodes is large; a small one that is not healthy is not emptied at all',
  ),
  'unhealthy-zone-threshold': {
    fallback: defaults.unhealthyThreshold,
    valueName: 'N',
    description: 'part of the nodes of a zone, three at least, that are not ready where it is not healthy',
    parse: parseNumber(0, 1),
  },
  'node-taint-prefix': {
    fallback: '',
    valueName: 'PREFIX',
    description: 'what stands before the slash of the taints of nodes in trouble; node.DOMAIN without it',
    parse: parsePrefix,
  },
} as const satisfies Record<string, FlagDefinition<unknown>>;

/** What new pods tolerate; the names and defaults are those of Kubernetes' API server. */
export const tolerationFlags = {
  'default-not-ready-toleration-seconds': defineCount(
    defaults.notReadyTolerationSeconds,
    'how long new pods stay on a node that is not ready, unless they say so themselves',
  ),
  'default-unreachable-toleration-seconds': defineCount(
    defaults.unreachableTolerationSeconds,
    'how long new pods stay on a node that is out of reach, unless they say so themselves',
  ),
} as const satisfies Record<string, FlagDefinition<unknown>>;

function readMillis(text: string): number {
  const parsed = parseGoDuration(text);
  // Flags are parsed before they are read.
  return 'millis' in parsed ? parsed.millis : 0;
}

/** The settings that the flags ask for. */
export function readNodeLifecycleSettings(
  flags: FlagValues<typeof nodeLifecycleFlags & typeof tolerationFlags>,
): NodeLifecycleSettings {
  return {
    monitorPeriodMillis: readMillis(flags['node-monitor-period']),
    monitorGraceMillis: readMillis(flags['node-monitor-grace-period']),
    startupGraceMillis: readMillis(flags['node-startup-grace-period']),
    evictionRate: flags['node-eviction-rate'],
    secondaryEvictionRate: flags['secondary-node-eviction-rate'],
    largeZoneSize: flags['large-cluster-size-threshold'],
    unhealthyThreshold: flags['unhealthy-zone-threshold'],
    taintPrefix: flags['node-taint-prefix'] || undefined,
    notReadyTolerationSeconds: flags['default-not-ready-toleration-seconds'],
    unreachableTolerationSeconds: flags['default-unreachable-toleration-seconds'],
  };
}
