import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { buildGoModule } from './build-go-module.ts';
import { locateTool } from './tool-cache.ts';

const version = '1.19.1';
const module = 'github.com/kyverno/kyverno';

/** Kyverno's admission controller, a peer in benchmarks, and the folder of the definitions of its kinds. */
export interface KyvernoBuild {
  readonly program: string;
  readonly definitionsFolder: string;
}

/** Builds it on first use, which takes ten minutes on a fresh machine. Throws when Go is missing or the build fails. */
export async function buildKyverno(): Promise<KyvernoBuild> {
  const folders = locateTool('kyverno', version);
  const wanted = { template: `kyverno-${version}.go.mod`, name: 'kyverno', package: `${module}/cmd/kyverno` };
  const program = await buildGoModule(folders, wanted);
  const words = ['list', '-mod=mod', '-m', '-f', '{{.Dir}}', module];
  const { stdout } = await promisify(execFile)('go', words, { cwd: folders.src });
  return { program, definitionsFolder: join(stdout.trim(), 'config/crds') };
}
