import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { ruleTables } from '../../kinds/rule-tables.ts';
import { projectRoot } from '../run-command.ts';
import { readTables } from './read-tables.ts';

const page = readFileSync(join(projectRoot, 'docs/deviations.md'), 'utf8');
const rows = readTables(page, ['id']);
const rules = Object.values(ruleTables).flat();

describe('docs/deviations.md', () => {
  it('gives every point an id of its own', () => {
    const ids = rows.map(([id]) => id ?? '');
    expect(ids.filter((id) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id))).toEqual([]);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it('fills every cell', () => {
    expect(rows.filter((cells) => cells.includes('')).map(([id]) => id)).toEqual([]);
  });

  it('names every rule of a kind that Kubernetes answers otherwise, and no other rule', () => {
    const kinds = Object.keys(ruleTables).join('|');
    const named = [...page.matchAll(new RegExp(`\`((?:${kinds})\\.[^\`]+)\``, 'g'))].map(([, rule]) => rule);
    const deviating = rules.filter(({ deviation }) => deviation !== undefined).map(({ rule }) => rule);
    expect(new Set(named)).toEqual(new Set(deviating));
  });

  it('lists the success codes that the endpoint suite leaves out', () => {
    const suite = readFileSync(join(projectRoot, 'test/contract/endpoint-rows.ts'), 'utf8');
    const table = suite.slice(
      suite.indexOf('const unproduced'),
      suite.indexOf('];', suite.indexOf('const unproduced')),
    );
    const left = [...table.matchAll(/code: (\d+),[^}]*?reason: '([^']+)'/g)].map(
      ([, code, reason]) => `${code} ${reason}`,
    );
    const listed = readTables(page, ['id', 'operation', 'code', 'reason']).map(
      ([, , code, reason]) => `${code} ${reason}`,
    );
    expect(left.length).toBeGreaterThan(0);
    expect(listed.toSorted((a, b) => a.localeCompare(b))).toEqual(left.toSorted((a, b) => a.localeCompare(b)));
  });
});
