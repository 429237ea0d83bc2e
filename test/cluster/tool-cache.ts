import { homedir } from 'node:os';
import { join } from 'node:path';

/** The Go module that a program is built in (`src`) and where its executable lies (`bin`). */
export interface ModuleFolders {
  readonly src: string;
  readonly bin: string;
}

/** A path that outlives checkouts, where only a fresh machine builds; `name` says the version too. */
export function locateCached(name: string): string {
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(cache, 'bailiwick', name);
}

/** Folders of the programs of one tool. */
export function locateTool(tool: string, version: string): ModuleFolders {
  const folder = locateCached(`${tool}-${version}`);
  return { src: join(folder, 'src'), bin: join(folder, 'bin') };
}
