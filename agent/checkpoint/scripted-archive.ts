const blockBytes = 512;

/** What the archive of a small container has, as containerd and CRIU make it. */
export const archiveFiles: readonly string[] = [
  ...['core-1', 'inventory', 'mm-1', 'pagemap-1', 'pages-1', 'pstree'].map((name) => `checkpoint/${name}.img`),
  ...[
    'config.dump',
    'container.log',
    'dump.log',
    'rootfs-diff.tar',
    'spec.dump',
    'stats-dump',
    'status',
    'status.dump',
  ],
];

function makeEntry(name: string, content: string): Buffer {
  const bytes = Buffer.from(content);
  const entry = Buffer.alloc(blockBytes + Math.ceil(bytes.length / blockBytes) * blockBytes);
  entry.write(name, 0);
  entry.write(bytes.length.toString(8).padStart(11, '0'), 124);
  entry.write('0', 156);
  entry.write('ustar\x0000', 257);
  bytes.copy(entry, blockBytes);
  return entry;
}

/** The bytes of a checkpoint's archive with this content of memory; without the files that are named. */
export function makeArchive(memory: string, lacking: readonly string[] = []): Buffer {
  const names = archiveFiles.filter((name) => !lacking.includes(name));
  const entries = names.map((name) => makeEntry(name, name.startsWith('checkpoint/pages-') ? memory : ''));
  return Buffer.concat([...entries, Buffer.alloc(2 * blockBytes)]);
}
