import type { TarContents } from './read-tar.ts';

/** Files of an archive, one at least, and what they are called when there is none. */
interface ArchivePart {
  readonly text: string;
  readonly matches: (name: string) => boolean;
}

function describeFile(text: string): ArchivePart {
  return { text, matches: (name) => name === text };
}

function describeImages(kind: string): ArchivePart {
  const pattern = new RegExp(`^checkpoint/${kind}-\\d+\\.img$`);
  return { text: `checkpoint/${kind}-*.img`, matches: (name) => pattern.test(name) };
}

/** What every archive has, whichever runtime made it with whatever. */
const common: readonly ArchivePart[] = [
  describeFile('config.dump'),
  describeFile('spec.dump'),
  { text: 'checkpoint/', matches: (name) => name.startsWith('checkpoint/') },
];

/** What is all there where there is any of it. */
const families: readonly (readonly ArchivePart[])[] = [
  // containerd's
  [describeFile('status'), describeFile('status.dump')],
  // CRIU's
  [
    describeFile('checkpoint/inventory.img'),
    describeFile('checkpoint/pstree.img'),
    ...['core', 'mm', 'pagemap', 'pages'].map(describeImages),
  ],
];

/** Why an archive of a checkpoint is not whole; `undefined` when it is, as far as the names of its files tell. */
export function findArchiveFault({ entries, isWhole }: TarContents): string | undefined {
  if (!isWhole) return 'it has no end';
  const names = entries.filter(({ isFile }) => isFile).map(({ name }) => name);
  const has = ({ matches }: ArchivePart): boolean => names.some(matches);
  const expected = [...common, ...families.filter((family) => family.some(has)).flat()];
  const missing = expected.filter((part) => !has(part)).map(({ text }) => text);
  return missing.length === 0 ? undefined : `it lacks ${missing.join(', ')}`;
}
