import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, open, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { readTar, type TarContents } from './read-tar.ts';

const run = promisify(execFile);
const longName = `${'long-'.repeat(15)}name/${'x'.repeat(90)}`;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bailiwick-tar-'));
  for (const [name, content] of [
    ['a', 'content of a'],
    ['d/b', ''],
    [longName, 'long'],
  ] as const) {
    await mkdir(dirname(join(folder, 'in', name)), { recursive: true });
    await writeFile(join(folder, 'in', name), content);
  }
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function read(file: string): Promise<TarContents> {
  const handle = await open(file);
  try {
    return await readTar(handle);
  } finally {
    await handle.close();
  }
}

async function pack(format: string): Promise<string> {
  const file = join(folder, `${format}.tar`);
  await run('tar', [`--format=${format}`, '--sort=name', '-cf', file, '-C', join(folder, 'in'), '.']);
  return file;
}

it.for(['ustar', 'gnu', 'pax', 'oldgnu'])('tells of the entries of an archive of the format %s', async (format) => {
  const file = await pack(format);
  const { entries, isWhole } = await read(file);
  expect(isWhole).toBe(true);
  expect(entries.filter(({ isFile }) => isFile).map(({ name, sizeBytes }) => [name, sizeBytes])).toEqual([
    ['a', 12],
    ['d/b', 0],
    [longName, 4],
  ]);
  const [found] = entries.filter(({ name }) => name === 'a');
  const content = await readFile(file);
  expect(content.toString('utf8', found?.position, (found?.position ?? 0) + 12)).toBe('content of a');
});

it.for(['gnu', 'pax'])('reads sizes that headers have no room for, of the format %s', async (format) => {
  const [large, file] = [join(folder, 'large'), join(folder, 'large.tar')];
  await writeFile(large, '');
  const sizeBytes = 9 * 2 ** 30;
  await truncate(large, sizeBytes);
  // Only the header is made: nobody has so large a disk for it.
  const head = await run('sh', [
    '-c',
    `tar --format=${format} -cf - -C "$1" large | head -c 8192 | base64 -w 0`,
    'sh',
    folder,
  ]);
  const header = Buffer.from(head.stdout, 'base64');
  const begin = header.lastIndexOf('ustar') - 257 + 512;
  await writeFile(file, header.subarray(0, begin));
  await truncate(file, begin + sizeBytes + 1024);
  const { entries, isWhole } = await read(file);
  expect(entries).toEqual([{ name: 'large', isFile: true, position: begin, sizeBytes }]);
  expect(isWhole).toBe(true);
});

it('tells that an archive was cut off, wherever that was', async () => {
  const whole = await readFile(await pack('pax'));
  const lastUsed = whole.findLastIndex((byte) => byte !== 0);
  const file = join(folder, 'cut.tar');
  const needed = Math.ceil((lastUsed + 1) / 512) * 512 + 1024;
  for (const length of [0, 1, 511, 512, 513, lastUsed, needed - 1024, needed - 512, needed - 1]) {
    await writeFile(file, whole.subarray(0, length));
    expect([length, (await read(file)).isWhole]).toEqual([length, false]);
  }
  await writeFile(file, whole.subarray(0, needed));
  expect((await read(file)).isWhole).toBe(true);
});

it.for<[string, Buffer]>([
  ['nothing', Buffer.alloc(0)],
  ['text', Buffer.from('no archive'.repeat(1000))],
  ['noise', Buffer.alloc(8192, 0xa5)],
  ['a compressed archive', Buffer.from('1f8b0800000000000003', 'hex')],
])('what is %s has no entries and is not whole', async ([, content]) => {
  const file = join(folder, 'other');
  await writeFile(file, content);
  expect(await read(file)).toEqual({ entries: [], isWhole: false });
});
