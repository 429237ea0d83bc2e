import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../process/clock.ts';
import { createSilentLogger } from '../process/logger.ts';
import { formatAuditEvent, type AuditEvent } from './audit-event.ts';
import { AuditLog, type AuditLogOptions } from './audit-log.ts';
import { nameFinishedLog, planLogRetention } from './plan-log-retention.ts';

function makeEvent(auditID: string, change: Partial<AuditEvent> = {}): AuditEvent {
  return {
    level: 'Metadata',
    auditID,
    stage: 'ResponseComplete',
    requestURI: '/api/v1/pods',
    verb: 'create',
    user: { username: 'jane' },
    requestReceivedTimestamp: '2026-01-02T03:04:05.000000Z',
    stageTimestamp: '2026-01-02T03:04:05.006000Z',
    ...change,
  };
}

let folder = '';
let lost = 0;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audit-'));
  lost = 0;
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function openLog(change: Partial<AuditLogOptions> = {}): Promise<AuditLog> {
  return AuditLog.open({
    file: join(folder, 'audit.log'),
    maxSizeMegabytes: 1,
    maxBackups: 0,
    maxAgeDays: 0,
    clock: systemClock,
    logger: createSilentLogger(),
    lost: { inc: (_labels?: unknown, by?: number) => void (lost += by ?? 1) },
    ...change,
  });
}

async function readIds(name = 'audit.log'): Promise<string[]> {
  const lines = (await readFile(join(folder, name), 'utf8')).split('\n').slice(0, -1);
  return lines.map((line) => (JSON.parse(line) as AuditEvent).auditID);
}

describe('formatAuditEvent', () => {
  it('is one line of JSON, with objects as they were encoded', () => {
    const line = formatAuditEvent(
      makeEvent('a', { requestObject: '{"spec":{"big":9007199254740993}}', annotations: { key: 'line\nbreak' } }),
    );
    expect(line.indexOf('\n')).toBe(line.length - 1);
    expect(line).toContain('"requestObject":{"spec":{"big":9007199254740993}}');
    expect(JSON.parse(line)).toMatchObject({
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      annotations: { key: 'line\nbreak' },
    });
  });
});

describe('AuditLog', () => {
  it('keeps the order of events, adds to what is there, and is readable by its owner only', async () => {
    for (const names of [
      ['a', 'b'],
      ['c', 'd'],
    ]) {
      const log = await openLog();
      for (const name of names) log.write(makeEvent(name));
      await log.close();
    }
    expect(await readIds()).toEqual(['a', 'b', 'c', 'd']);
    expect((await stat(join(folder, 'audit.log'))).mode & 0o777).toBe(0o600);
    expect(lost).toBe(0);
  });

  it('begins another file at its bound and loses nothing over it', async () => {
    const log = await openLog();
    const padding = 'x'.repeat(100_000);
    const ids = Array.from({ length: 40 }, (_, index) => String(index));
    for (const id of ids) {
      log.write(makeEvent(id, { requestURI: padding }));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await log.close();
    const names = (await readdir(folder)).toSorted();
    expect(names.length).toBeGreaterThan(2);
    const written = await Promise.all(names.map((name) => readIds(name)));
    expect(written.flat().toSorted()).toEqual(ids.toSorted());
  });

  it('keeps as many finished files as it is told', async () => {
    const log = await openLog({ maxBackups: 2 });
    for (let index = 0; index < 60; index++) {
      log.write(makeEvent(String(index), { requestURI: 'x'.repeat(100_000) }));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await log.close();
    expect((await readdir(folder)).length).toBeLessThanOrEqual(3);
    expect(lost).toBe(0);
  });

  it('counts as lost what is beyond its bound of waiting events, or comes after its end', async () => {
    const log = await openLog({ maxWaitingBytes: 1000 });
    for (let index = 0; index < 10; index++) log.write(makeEvent(String(index)));
    await log.close();
    const kept = await readIds();
    expect(kept.length).toBeLessThan(10);
    expect(kept.length + lost).toBe(10);
    log.write(makeEvent('late'));
    expect(kept.length + lost).toBe(11);
  });

  it('makes its folder, and does not open what is no file', async () => {
    const log = await openLog({ file: join(folder, 'deep', 'audit.log') });
    await log.close();
    await mkdir(join(folder, 'taken'));
    await expect(openLog({ file: join(folder, 'taken') })).rejects.toThrow('not a file');
  });
});

describe('planLogRetention', () => {
  const now = Date.parse('2026-03-10T00:00:00Z');
  const at = (text: string, index = 1): string => nameFinishedLog('audit.log', Date.parse(text), index);
  const names = [
    'audit.log',
    at('2026-03-09T10:00:00Z'),
    at('2026-03-09T10:00:00Z', 2),
    at('2026-03-08T10:00:00Z'),
    at('2026-03-01T10:00:00Z'),
    'audit-notes.log',
    'other-2026-03-01T10-00-00.000.log',
    'audit-2026-03-01T10-00-00.000.log.gz',
  ];

  it('names finished files after their end', () => {
    expect(names.slice(1, 3)).toEqual(['audit-2026-03-09T10-00-00.000.log', 'audit-2026-03-09T10-00-00.000-2.log']);
  });

  it.for<[number, number, string[]]>([
    [0, 0, []],
    [0, 5, [names[4] ?? '']],
    [2, 0, [names[3] ?? '', names[4] ?? '']],
    [1, 0, [names[1] ?? '', names[3] ?? '', names[4] ?? '']],
    [3, 1, [names[3] ?? '', names[4] ?? '']],
  ])('of at most %i files and %i days removes %j', ([maxBackups, maxAgeDays, expected]) => {
    expect(planLogRetention('audit.log', names, { maxBackups, maxAgeDays }, now)).toEqual(expected);
  });
});
