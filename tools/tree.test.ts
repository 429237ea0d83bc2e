import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { projectRoot } from './run-command.ts';

/** Every file that git knows or has not been told to ignore. */
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate'], {
  cwd: projectRoot,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(projectRoot, file)));
const own = 'tools/tree.test.ts';

function findLines(pattern: RegExp, chosen: readonly string[]): string[] {
  return chosen.flatMap((file) =>
    readFileSync(join(projectRoot, file), 'utf8')
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line.trim().slice(0, 160)}`] : [])),
  );
}

describe('the tree', () => {
  it('was found', () => {
    expect(files).toContain('package.json');
    expect(files.length).toBeGreaterThan(400);
  });

  it('names no folder of one machine', () => {
    // `/home/me` stands for a reader's own folder in the pages.
    const pattern = /(?<![A-Za-z0-9._~{}-])\/(?:root|mnt|srv|opt|tmp|work|workspace|Users|home(?!\/me\/))\//;
    const others = files.filter((file) => file !== own);
    expect(findLines(pattern, others)).toEqual([]);
    expect(others.filter((file) => readFileSync(join(projectRoot, file), 'utf8').includes(projectRoot))).toEqual([]);
  });

  it('names no package registry', () => {
    const pattern =
      /\b(?:registry|proxy|mirror|nexus|artifactory|npm)\.(?!example\.com)[a-z0-9.-]+\.(?:org|com|net|io|dev|local|internal)\b/;
    expect(
      findLines(
        pattern,
        files.filter((file) => file !== own),
      ),
    ).toEqual([]);
    expect(findLines(/"resolved"/, ['package-lock.json'])).toEqual([]);
  });

  it('runs every test: none is singled out, and what is skipped says why', () => {
    const tests = files.filter((file) => /\.(test|contract)\.ts$|^test\//.test(file) && file.endsWith('.ts'));
    const others = tests.filter((file) => file !== own);
    expect(findLines(/\b(?:describe|it|test)(?:\.\w+)*\.(?:only|todo)\b/, others)).toEqual([]);
    const skipped = findLines(/\b(?:describe|it|test)(?:\.\w+)*\.(?:skip|skipIf|runIf)\b/, others);
    expect(skipped.filter((line) => !/eason|[sS]uiteName|isLinux \?|isSoak/.test(line))).toEqual([]);
  });

  it('names its files in kebab-case', () => {
    const odd = files.filter(
      (file) =>
        !file.split('/').every((part) => /^\.?[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9-]+)*$/.test(part)) &&
        !/(?:^|\/)(?:README\.md|LICENSE|Dockerfile)$/.test(file) &&
        // Names that Helm and its unit tests ask for.
        !/^charts\/[a-z]+\/(?:Chart\.yaml|templates\/NOTES\.txt|templates\/_[a-z]+\.tpl|tests\/[a-z]+_test\.yaml)$/.test(
          file,
        ) &&
        !file.includes('/testdata/'),
    );
    expect(odd).toEqual([]);
  });

  it('names no file or folder after nothing in particular', () => {
    const vague = new Set(['util', 'utils', 'helper', 'helpers', 'manager', 'base', 'common', 'misc']);
    const isVague = (part: string): boolean => {
      const name = part.replace(/\..*$/, '');
      // Kubernetes' own terms.
      return !/(?:field|controller)-manager$/.test(name) && vague.has(name.split('-').at(-1) ?? '');
    };
    expect(files.filter((file) => file.split('/').some(isVague))).toEqual([]);
    expect(files.filter((file) => basename(file) === 'index.ts')).toEqual([]);
  });
});
