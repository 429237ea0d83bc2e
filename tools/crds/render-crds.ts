import { stringify } from 'yaml';

import { deriveCrd } from '../../kinds/derive-crd.ts';
import { buildKindRegistry } from '../../kinds/registry.ts';

/** The domain of an installation that names none. */
const DEFAULT_DOMAIN = 'bailiwick.dev';
/** Where the chart keeps definitions whose domain is still to be filled in. */
const CHART_FOLDER = 'charts/bailiwick/files/crds';
/** The folders that hold nothing but generated definitions. */
export const crdFolders = ['crds', CHART_FOLDER];
const HEADER = '# Made from kinds/ by `npm run generate`.\n';

function render(domain: string, folder: string): [path: string, text: string][] {
  return buildKindRegistry(domain)
    .kinds.filter(({ crd }) => crd !== undefined)
    .map((kind) => {
      const group = (kind.aliasGroup ?? kind.group).replace('.{domain}', '');
      return [
        `${folder}/${kind.plural}.${group}.yaml`,
        `${HEADER}${stringify(deriveCrd(kind), { lineWidth: 0, aliasDuplicateObjects: false })}`,
      ];
    });
}

/**
 * Texts of the files with CustomResourceDefinitions by path within the checkout: `crds/` for the default domain, and those of the
 * chart, which have `{domain}` where the domain stands.
 */
export function renderCrds(): Map<string, string> {
  return new Map([...render(DEFAULT_DOMAIN, 'crds'), ...render('{domain}', CHART_FOLDER)]);
}
