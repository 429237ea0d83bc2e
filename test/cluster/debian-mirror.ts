import { runProgram } from './run-program.ts';

/** Address, with a slash at its end, of the mirror of Debian that this machine's packages come from. Throws where there is none. */
export async function findDebianMirror(): Promise<string> {
  const format = '$(REPO_URI) $(ORIGIN) $(LABEL)';
  const targets = await runProgram('apt-get', ['indextargets', '--format', format, 'Created-By: Packages']);
  const mirror = targets.split('\n').find((line) => line.endsWith(' Debian Debian'));
  if (mirror === undefined) throw new Error("none of this machine's package sources is Debian");
  return mirror.split(' ')[0] ?? '';
}
