const podCounts = ['pods'];
const podResources = [...podCounts, 'cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory'];

/** The standard resources that a quota with the scope may limit. */
export const resourcesOfScope: ReadonlyMap<string, readonly string[]> = new Map([
  ['Terminating', podResources],
  ['NotTerminating', podResources],
  ['NotBestEffort', podResources],
  ['PriorityClass', podResources],
  ['CrossNamespacePodAffinity', podResources],
  ['BestEffort', podCounts],
  ['VolumeAttributesClass', ['persistentvolumeclaims', 'requests.storage']],
]);

/** Scopes that no object is in at the same time. */
export const conflictingScopes = [
  ['BestEffort', 'NotBestEffort'],
  ['NotTerminating', 'Terminating'],
] as const;

/** Scopes that an object is in or not, without a value. */
export const scopesWithoutValues: ReadonlySet<string> = new Set([
  'BestEffort',
  'NotBestEffort',
  'Terminating',
  'NotTerminating',
  'CrossNamespacePodAffinity',
]);
