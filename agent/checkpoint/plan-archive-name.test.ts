import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { formatArchiveName, planArchiveName } from './plan-archive-name.ts';

const timeMillis = Date.UTC(2026, 10, 22, 12, 28, 8, 123);
const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
const subdomain = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.').slice(0, 253));

describe('formatArchiveName', () => {
  it('names file and object after pod, namespace, container and time', () => {
    expect(formatArchiveName({ namespace: 'shop', pod: 'web-0', container: 'app' }, timeMillis)).toEqual({
      file: 'checkpoint-web-0_shop-app-2026-11-22T12:28:08.123Z.tar',
      name: 'web-0-app-2026-11-22t12-28-08-123z',
      timeMillis,
    });
  });

  it('keeps within what file systems and the API take, for every pod', () => {
    fc.assert(
      fc.property(subdomain, label, label, (pod, namespace, container) => {
        const { file, name } = formatArchiveName({ namespace, pod, container }, timeMillis);
        expect(Buffer.byteLength(file)).toBeLessThanOrEqual(250);
        expect(file.startsWith('checkpoint-')).toBe(true);
        expect(name.length).toBeLessThanOrEqual(253);
        for (const part of name.split('.')) expect(part).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);
      }),
    );
  });

  it('tells long names apart that begin alike', () => {
    const pod = 'a'.repeat(250);
    const one = formatArchiveName({ namespace: 'shop', pod: `${pod}b`, container: 'app' }, timeMillis);
    const other = formatArchiveName({ namespace: 'shop', pod: `${pod}c`, container: 'app' }, timeMillis);
    expect(one.file).not.toBe(other.file);
    expect(one.name).not.toBe(other.name);
  });
});

describe('planArchiveName', () => {
  it('goes on by a millisecond where a name is taken', () => {
    const subject = { namespace: 'shop', pod: 'web', container: 'app' };
    const taken = new Set<string>();
    for (let i = 0; i < 20; i += 1) {
      const planned = planArchiveName(subject, timeMillis, ({ file }) => taken.has(file));
      expect(planned.timeMillis).toBe(timeMillis + i);
      taken.add(planned.file);
    }
    expect(taken.size).toBe(20);
  });
});
