import { buildGoModule } from './build-go-module.ts';
import { locateTool } from './tool-cache.ts';

const version = '0.8.0';

/** The executable of kwok, which plays kubelets; built on first use, in two minutes on a fresh machine. Throws when Go is missing or the build fails. */
export function buildKwok(): Promise<string> {
  return buildGoModule(locateTool('kwok', version), {
    template: `kwok-${version}.go.mod`,
    name: 'kwok',
    package: 'sigs.k8s.io/kwok/cmd/kwok',
    flags: ['-ldflags', '-s -w'],
  });
}
