import { createHash } from 'node:crypto';

/** Which container an archive is of. */
export interface ArchiveSubject {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

/** How one archive is called, and the time that is in its names. */
export interface ArchiveName {
  /** Name of the file: `checkpoint-<pod>_<namespace>-<container>-<time>.tar`. */
  readonly file: string;
  /** Name of the API object: `<pod>-<container>-<time>`, in lower case. */
  readonly name: string;
  readonly timeMillis: number;
}

/** What a file system takes in one name, less the letters that names of files beside the archive have more. */
const maxFileNameLength = 250;
/** What names of API objects have at most. */
const maxObjectNameLength = 253;
const hashLength = 10;

/** The text when it has no more than so many letters, otherwise its beginning and a hash of it. */
function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, hashLength);
  return `${text.slice(0, maxLength - hashLength - 1).replace(/[^a-z0-9]+$/, '')}-${hash}`;
}

/** The names that an archive made at `timeMillis` has. Times are RFC 3339 in UTC with milliseconds. */
export function formatArchiveName(subject: ArchiveSubject, timeMillis: number): ArchiveName {
  const { namespace, pod, container } = subject;
  const time = new Date(timeMillis).toISOString();
  const fileEnd = `-${time}.tar`;
  const fileStart = shorten(`checkpoint-${pod}_${namespace}-${container}`, maxFileNameLength - fileEnd.length);
  const nameEnd = `-${time.toLowerCase().replaceAll(/[:.]/g, '-')}`;
  const nameStart = shorten(`${pod}-${container}`, maxObjectNameLength - nameEnd.length);
  return { file: `${fileStart}${fileEnd}`, name: `${nameStart}${nameEnd}`, timeMillis };
}

/** The first names from `nowMillis` on that are not taken: two archives of one millisecond have names a millisecond apart. */
export function planArchiveName(
  subject: ArchiveSubject,
  nowMillis: number,
  isTaken: (name: ArchiveName) => boolean,
): ArchiveName {
  for (let timeMillis = nowMillis; ; timeMillis += 1) {
    const name = formatArchiveName(subject, timeMillis);
    if (!isTaken(name)) return name;
  }
}
