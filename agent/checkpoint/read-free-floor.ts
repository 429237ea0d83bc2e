import { mkdir, statfs } from 'node:fs/promises';
import type { CheckpointSettings } from './checkpoint-settings.ts';

/** Bytes that must stay free on the filesystem of a folder, which is made where it is absent. */
export async function readFreeFloor(
  folder: string,
  { minimumFreeBytes, minimumFreeShare }: Pick<CheckpointSettings, 'minimumFreeBytes' | 'minimumFreeShare'>,
): Promise<number> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { blocks, bsize } = await statfs(folder);
  return Math.max(minimumFreeBytes, Math.ceil(minimumFreeShare * blocks * bsize));
}
