import { expect, it } from 'vitest';

import { findArchiveFault } from './find-archive-fault.ts';
import { archiveFiles } from './scripted-archive.ts';

function judge(names: readonly string[], isWhole = true): string | undefined {
  const entries = names.map((name) => ({ name, isFile: !name.endsWith('/'), position: 512, sizeBytes: 0 }));
  return findArchiveFault({ entries, isWhole });
}

const criuFiles = archiveFiles.filter((name) => name.startsWith('checkpoint/'));

it.for<[string, readonly string[]]>([
  ['containerd', archiveFiles],
  ['containerd, without a log', archiveFiles.filter((name) => name !== 'container.log')],
  ['CRI-O', ['stats-dump', 'dump.log', 'checkpoint/', ...criuFiles, 'config.dump', 'spec.dump', 'bind.mounts']],
  ['another program than CRIU', ['config.dump', 'spec.dump', 'checkpoint/checkpoint.img']],
  ['many processes', [...archiveFiles, 'checkpoint/core-17.img', 'checkpoint/mm-17.img', 'checkpoint/pages-2.img']],
])('an archive of %s is whole', ([, names]) => {
  expect(judge(names)).toBeUndefined();
});

it.for<[string, string]>([
  ['config.dump', 'config.dump'],
  ['spec.dump', 'spec.dump'],
  ['status', 'status'],
  ['status.dump', 'status.dump'],
  ['checkpoint/inventory.img', 'checkpoint/inventory.img'],
  ['checkpoint/pstree.img', 'checkpoint/pstree.img'],
  ['checkpoint/core-1.img', 'checkpoint/core-*.img'],
  ['checkpoint/mm-1.img', 'checkpoint/mm-*.img'],
  ['checkpoint/pagemap-1.img', 'checkpoint/pagemap-*.img'],
  ['checkpoint/pages-1.img', 'checkpoint/pages-*.img'],
])('an archive without %s is not', ([name, text]) => {
  expect(judge(archiveFiles.filter((one) => one !== name))).toBe(`it lacks ${text}`);
});

it('an archive without any image is not', () => {
  const names = archiveFiles.filter((name) => !name.startsWith('checkpoint/'));
  expect(judge([...names, 'checkpoint/'])).toBe('it lacks checkpoint/');
});

it('an archive of what was written first is not', () => {
  expect(judge(archiveFiles, false)).toBe('it has no end');
  expect(judge([])).toBe('it lacks config.dump, spec.dump, checkpoint/');
});
