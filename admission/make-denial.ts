import { makeForbiddenError } from '../core/errors/make-status-error.ts';
import type { StatusError } from '../core/errors/status.ts';
import type { AdmissionAttributes } from './admission-plugin.ts';

/** The 403 by which a plugin refuses a request: `pods "a" is forbidden: …`; a name that is not final yet shows as its prefix. */
export function makeDenial(attributes: AdmissionAttributes, message: string): StatusError {
  const { metadata } = attributes.object ?? {};
  const name = [attributes.name, metadata?.name, metadata?.generateName].find(
    (text) => text !== undefined && text !== '',
  );
  return makeForbiddenError(attributes.resource.group, attributes.resource.resource, name ?? 'Unknown', message);
}
