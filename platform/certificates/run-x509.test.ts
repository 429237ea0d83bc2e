import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

import { makeCertificate, makeServerRequest } from './make-certificate.ts';
import { readSigningRequest } from './read-signing-request.ts';
import { runX509 } from './run-x509.ts';

const run = promisify(execFile);
const validity = { notBeforeMillis: 0, notAfterMillis: 86_400_000 };

describe('the process of certificates', () => {
  it('does many tasks at once, each with its own answer', async () => {
    const names = Array.from({ length: 10 }, (_, place) => `system:agent:node-${place}`);
    const made = await Promise.all(names.map((commonName) => makeServerRequest({ commonName, subjectNames: ['a'] })));
    const read = await Promise.all(made.map(({ request }) => readSigningRequest(request)));
    expect(read.map((facts) => facts?.commonName)).toEqual(names);
  });

  it('does nothing that it does not know', async () => {
    await expect(runX509('unknown', {})).rejects.toThrow('a task with certificates failed');
  });

  it('says what went wrong, and goes on with the next', async () => {
    const authority = { certificate: 'none', privateKey: 'none' };
    const request = { commonName: 'a', purpose: 'server', ...validity } as const;
    const failing = runX509('certificate', { request, authority });
    const next = makeCertificate(request);
    await expect(failing).rejects.toThrow('a task with certificates failed');
    expect((await next).certificate).toContain('BEGIN CERTIFICATE');
  });

  it('that could not be started fails its tasks alone, and the next ones have one again', async () => {
    const module = fileURLToPath(new URL('./make-certificate.ts', import.meta.url));
    const text = `
      import { closeSync, openSync } from 'node:fs';
      import { makeCertificate } from ${JSON.stringify(module)};
      await import('node:child_process');
      const make = () => makeCertificate({ commonName: 'a', purpose: 'server', notBeforeMillis: 0, notAfterMillis: 86400000 });
      const taken = [];
      try { for (;;) taken.push(openSync('/dev/null', 'r')); } catch {}
      const failed = await make().then(() => 'made', () => 'failed');
      for (const one of taken) closeSync(one);
      await new Promise((resolve) => setTimeout(resolve, 50));
      console.log(failed, await make().then(() => 'made', (error) => error.message));`;
    const program = [process.execPath, '--input-type=module', '--eval', text];
    expect(await run('sh', ['-c', 'ulimit -n 100; exec "$@"', 'sh', ...program])).toEqual({
      stdout: 'failed made\n',
      stderr: '',
    });
  });

  it('ends soon after, and keeps no program from ending', async () => {
    const module = fileURLToPath(new URL('./make-certificate.ts', import.meta.url));
    const text = `
      import { makeCertificate } from ${JSON.stringify(module)};
      const begin = performance.now();
      await makeCertificate({ commonName: 'a', purpose: 'server', notBeforeMillis: 0, notAfterMillis: 86400000 });
      const { readdirSync, readFileSync } = await import('node:fs');
      const children = () => readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').trim();
      if (children() === '') throw new Error('there was no process');
      if (process.argv[1] === 'wait') {
        const timer = setInterval(() => { if (children() === '') { clearInterval(timer); console.log('ended'); } }, 50);
      }`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', text, 'wait']);
    expect(stdout).toBe('ended\n');
    expect(await run(process.execPath, ['--input-type=module', '--eval', text])).toEqual({ stdout: '', stderr: '' });
  });
});
