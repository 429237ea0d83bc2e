import { runProgram } from './run-program.ts';

/** Address, with a slash at its end, of the Debian mirror that this machine already uses. Throws when apt is told of none. */
export async function findDebianMirror(): Promise<string> {
  const words = ['indextargets', '--format', '$(SUITE) $(REPO_URI)', 'Created-By: Packages', 'Component: main'];
  const lines = (await runProgram('apt-get', words)).split('\n');
  const mirror = lines.find((line) => line !== '' && !line.includes('security'))?.split(' ')[1];
  if (mirror === undefined) throw new Error('apt is told of no mirror');
  return mirror;
}
