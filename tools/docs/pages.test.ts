import { existsSync, readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

import { operatorFlags } from '../../operator/bootstrap/operator-flags.ts';
import { describeFlags } from '../../platform/process/parse-flags.ts';
import { projectRoot } from '../run-command.ts';
import { readBlocks } from './read-console-steps.ts';
import { renewPages } from './renew-pages.ts';

/** Languages of blocks: `console` is run and compared, `yaml` and `json` are parsed, `sh` is to be typed, `text` is output. */
const languages = new Set(['console', 'json', 'sh', 'text', 'yaml']);

const paths = [
  'README.md',
  ...(await Array.fromAsync(glob('{docs,kinds}/**/*.md', { cwd: projectRoot }))).sort((a, b) => (a < b ? -1 : 1)),
];
const pages = paths.map((path) => [path, readFileSync(join(projectRoot, path), 'utf8')] as const);

/** The anchor that a heading gets. */
function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function findLinkFault(from: string, link: string): string | undefined {
  if (/^https?:/.test(link)) return undefined;
  const [path = '', anchor] = link.split('#', 2);
  const target = path === '' ? from : join(dirname(from), path);
  if (!existsSync(join(projectRoot, target))) return `${link}: there is no ${target}`;
  if (anchor === undefined || !target.endsWith('.md')) return undefined;
  const text = readFileSync(join(projectRoot, target), 'utf8');
  const anchors = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => toAnchor(heading));
  return anchors.includes(anchor) ? undefined : `${link}: ${target} has no such heading`;
}

describe('the pages', () => {
  it.for(pages)('%s links to what is there', ([path, text]) => {
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    expect(links.flatMap((link) => findLinkFault(path, link) ?? [])).toEqual([]);
  });

  it.for(pages)('%s has blocks of known languages, which parse', ([, text]) => {
    for (const block of readBlocks(text)) {
      expect(languages).toContain(block.language);
      if (block.language === 'json') expect(() => JSON.parse(block.text)).not.toThrow();
      if (block.language === 'yaml') expect(parseAllDocuments(block.text).flatMap(({ errors }) => errors)).toEqual([]);
    }
  });

  it('docs/running.md lists the flags, with their defaults', () => {
    const text = pages.find(([path]) => path === 'docs/running.md')?.[1] ?? '';
    expect(readBlocks(text).map((block) => block.text)).toContain(`${describeFlags(operatorFlags)}\n`);
  });

  it('are up to date where they are made from code', async () => {
    expect(await renewPages(true)).toEqual([]);
  });
});
