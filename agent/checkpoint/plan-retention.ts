import type { RetentionLimit, RetentionSettings } from './checkpoint-settings.ts';

/** What retention goes by, of one finished archive. */
export interface RetainedArchive {
  readonly namespace: string;
  readonly podName: string;
  readonly containerName: string;
  readonly sizeBytes: number;
  /** When it was complete. */
  readonly completedAtMillis: number;
  readonly pinned: boolean;
  /** Since when its pod is known to be gone from the node; `undefined` while it is there. */
  readonly podGoneSinceMillis: number | undefined;
}

/** What sets a bound: the age of an archive, how long its pod is gone, or what there is of a container, pod, namespace or node. */
export type RetentionReason =
  'Age' | 'PodGone' | `${'Container' | 'Pod' | 'Namespace' | 'Node'}${'Age' | 'Count' | 'Bytes'}`;

/** One archive that goes, and why. */
export interface Removal<Archive extends RetainedArchive> {
  readonly archive: Archive;
  readonly reason: RetentionReason;
}

type Place = Pick<RetainedArchive, 'namespace' | 'podName' | 'containerName'>;

interface Scope {
  readonly title: 'Container' | 'Pod' | 'Namespace' | 'Node';
  readonly readLimit: (settings: RetentionSettings) => RetentionLimit;
  /** What those have in common that are counted together. */
  readonly readKey: (place: Place) => string;
}

const scopes: readonly Scope[] = [
  {
    title: 'Container',
    readLimit: ({ container }) => container,
    readKey: ({ namespace, podName, containerName }) => `${namespace}/${podName}/${containerName}`,
  },
  {
    title: 'Pod',
    readLimit: ({ pod }) => pod,
    readKey: ({ namespace, podName }) => `${namespace}/${podName}`,
  },
  { title: 'Namespace', readLimit: ({ namespace }) => namespace, readKey: ({ namespace }) => namespace },
  { title: 'Node', readLimit: ({ node }) => node, readKey: () => '' },
];

function isExpired(sinceMillis: number | undefined, lifeMillis: number | undefined, nowMillis: number): boolean {
  return sinceMillis !== undefined && lifeMillis !== undefined && nowMillis - sinceMillis >= lifeMillis;
}

/** Those of one scope that go: the oldest that are not pinned, until what is left keeps to the limit. `archives` are the oldest first. */
function planScope<Archive extends RetainedArchive>(
  archives: readonly Archive[],
  { title }: Scope,
  { maxCount = Infinity, maxBytes = Infinity, maxAgeMillis }: RetentionLimit,
  nowMillis: number,
): Removal<Archive>[] {
  let count = archives.length;
  let bytes = archives.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const removals: Removal<Archive>[] = [];
  for (const archive of archives) {
    const isOld = isExpired(archive.completedAtMillis, maxAgeMillis, nowMillis);
    if (count <= maxCount && bytes <= maxBytes && !isOld) break;
    if (archive.pinned) continue;
    const bound = isOld ? 'Age' : count > maxCount ? 'Count' : 'Bytes';
    removals.push({ archive, reason: `${title}${bound}` });
    count -= 1;
    bytes -= archive.sizeBytes;
  }
  return removals;
}

/**
 * Which finished archives go at `nowMillis`, and why: those that are too old, those whose pods are long gone, and then the oldest of what
 * there is too much of, narrow bounds before wide ones. Pinned ones never go, but count.
 */
export function planRetention<Archive extends RetainedArchive>(
  archives: readonly Archive[],
  settings: RetentionSettings,
  nowMillis: number,
): Removal<Archive>[] {
  const removals: Removal<Archive>[] = [];
  let kept: Archive[] = [];
  for (const archive of archives.toSorted((left, right) => left.completedAtMillis - right.completedAtMillis)) {
    if (!archive.pinned && isExpired(archive.completedAtMillis, settings.maxAgeMillis, nowMillis)) {
      removals.push({ archive, reason: 'Age' });
    } else if (!archive.pinned && isExpired(archive.podGoneSinceMillis, settings.podGoneAgeMillis, nowMillis)) {
      removals.push({ archive, reason: 'PodGone' });
    } else kept.push(archive);
  }
  for (const scope of scopes) {
    const limit = scope.readLimit(settings);
    const planned = [...Map.groupBy(kept, scope.readKey).values()].flatMap((group) =>
      planScope(group, scope, limit, nowMillis),
    );
    const gone = new Set(planned.map(({ archive }) => archive));
    kept = kept.filter((archive) => !gone.has(archive));
    removals.push(...planned);
  }
  return removals;
}

/**
 * Why one more archive, with so many bytes so far, could not be kept even if everything went that may go; `undefined` when it can be.
 * Only pinned archives are in its way, and its own size.
 */
export function findRoomFault(
  archives: readonly RetainedArchive[],
  settings: RetentionSettings,
  place: Place,
  sizeBytes: number,
): string | undefined {
  for (const scope of scopes) {
    const { maxCount = Infinity, maxBytes = Infinity } = scope.readLimit(settings);
    const key = scope.readKey(place);
    const pinned = archives.filter((archive) => archive.pinned && scope.readKey(archive) === key);
    const pinnedBytes = pinned.reduce((sum, archive) => sum + archive.sizeBytes, 0);
    const title = scope.title.toLowerCase();
    if (pinned.length + 1 > maxCount) {
      return `the ${title} may have ${maxCount} archives and ${pinned.length} are pinned`;
    }
    if (pinnedBytes + sizeBytes > maxBytes) {
      const besides = pinnedBytes === 0 ? '' : `, of which pinned archives take ${pinnedBytes}`;
      return `the archive is larger than the ${title}'s archives may be: ${maxBytes} bytes${besides}`;
    }
  }
  return undefined;
}
