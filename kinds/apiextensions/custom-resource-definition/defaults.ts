import type { JsonObject } from '../../../core/meta/json.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { ensureObject, fillField, readItems, readList, readObject, readText } from '../../workloads/read-field.ts';

const webhookPort = 443;

/** Name of the first version that objects are stored as; `undefined` when no version says so. */
function findStorageVersion(definition: KubeObject): string | undefined {
  const version = readItems(definition, 'spec', 'versions').find(({ storage }) => storage === true);
  return version === undefined ? undefined : readText(version, 'name');
}

/** The singular is the kind in small letters, the kind of lists ends in List, nothing is converted, and webhooks listen on 443. In place. */
export function applyDefinitionDefaults(definition: KubeObject): void {
  const spec = ensureObject(definition, 'spec');
  const names = ensureObject(spec, 'names');
  const kind = readText(names, 'kind');
  if (kind !== '') {
    fillField(names, 'singular', kind.toLowerCase());
    fillField(names, 'listKind', `${kind}List`);
  }
  spec['conversion'] ??= { strategy: 'None' };
  const service = readObject(spec, 'conversion', 'webhook', 'clientConfig', 'service');
  if (service !== undefined) service['port'] ??= webhookPort;
  if (readList(definition, 'status', 'storedVersions').length > 0) return;
  const stored = findStorageVersion(definition);
  if (stored !== undefined) ensureObject(definition, 'status')['storedVersions'] = [stored];
}

/** Notes in the status that objects may be stored as the version that is stored from now on. In place. */
export function noteStorageVersion(definition: KubeObject): void {
  const stored = findStorageVersion(definition);
  if (stored === undefined) return;
  const status: JsonObject = ensureObject(definition, 'status');
  const versions = readList(status, 'storedVersions');
  if (!versions.includes(stored)) status['storedVersions'] = [...versions, stored];
}
