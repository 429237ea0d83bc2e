import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectRoot } from '../../tools/run-command.ts';

/** The commands of a page's `sh` blocks, one text a block, by the heading above them. */
export function readShellBlocks(page: string): ReadonlyMap<string, readonly string[]> {
  const blocks = new Map<string, string[]>();
  let heading = '';
  let block: string[] | undefined;
  for (const line of readFileSync(join(projectRoot, page), 'utf8').split('\n')) {
    if (block !== undefined) {
      if (line === '```') {
        blocks.set(heading, [...(blocks.get(heading) ?? []), block.join('\n')]);
        block = undefined;
      } else {
        block.push(line);
      }
    } else if (line === '```sh') {
      block = [];
    } else if (/^#+ /.test(line)) {
      heading = line.replace(/^#+ /, '');
    }
  }
  return blocks;
}
