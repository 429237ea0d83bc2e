import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type KeyedCertificate, makeCertificate } from '../../platform/certificates/make-certificate.ts';
import { createSilentLogger } from '../../platform/process/logger.ts';
import { ManualClock } from '../../platform/process/manual-clock.ts';
import { StartError } from '../../platform/process/start-error.ts';
import { FileCertificate } from './file-certificate.ts';

describe('FileCertificate', () => {
  const clock = new ManualClock();
  let folder: string;
  let files: { certificateFile: string; keyFile: string; authorityFile: undefined };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'certificate-'));
    files = { certificateFile: join(folder, 'c'), keyFile: join(folder, 'k'), authorityFile: undefined };
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function write(): Promise<KeyedCertificate> {
    const made = await makeCertificate({
      ...{ commonName: 'w', purpose: 'server', subjectNames: ['localhost'] },
      ...{ notBeforeMillis: clock.now() - 1_000, notAfterMillis: clock.now() + 3_600_000 },
    });
    await writeFile(files.certificateFile, made.certificate);
    await writeFile(files.keyFile, made.privateKey);
    return made;
  }

  it('serves the files, and new ones when they are there and good', async () => {
    const first = await write();
    const source = await FileCertificate.open(files, clock, createSilentLogger());
    expect(source.current().certificate).toBe(first.certificate);
    await writeFile(files.certificateFile, 'half');
    const changed = Promise.withResolvers<string>();
    source.subscribe(({ certificate }) => changed.resolve(certificate));
    clock.advance(5_000);
    // The bad files are read aside; the next look is scheduled once that is over.
    while (clock.pendingCount === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(source.current().certificate).toBe(first.certificate);
    const second = await write();
    clock.advance(5_000);
    expect(await changed.promise).toBe(second.certificate);
    source.close();
  });

  it('tells the person who started it what is wrong', async () => {
    const { privateKey } = await write();
    await write();
    await writeFile(files.keyFile, privateKey);
    const open = FileCertificate.open(files, clock, createSilentLogger());
    await expect(open).rejects.toThrow(StartError);
    await expect(open).rejects.toThrow('not the key of the certificate file');
    await expect(FileCertificate.open({ ...files, keyFile: '/absent' }, clock, createSilentLogger())).rejects.toThrow(
      'ENOENT',
    );
  });
});
