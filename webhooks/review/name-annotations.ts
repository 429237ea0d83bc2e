import { encodeJson } from '../../core/decode/encode-json.ts';
import { checkQualifiedName } from '../../core/validation/names.ts';

const longestName = 63;
/** What could not have a key of its own at the host, as JSON. */
const othersKey = 'annotations';

/**
 * Audit annotations under the names that a host takes from a webhook: it puts the name of the webhook and a slash before each, and takes one
 * slash. So `validation.policy.admission.{domain}/validation_failure` comes out as it is from the webhook of that name, and `{policy}/{key}`
 * becomes `{policy}.{key}`; what is too long for that goes into `annotations`, all in one.
 */
export function nameAnnotations(annotations: ReadonlyMap<string, string>, domain: string): Record<string, string> {
  const ownPrefix = `validation.policy.admission.${domain}/`;
  const named: Record<string, string> = {};
  const others: Record<string, string> = {};
  for (const [key, value] of annotations) {
    const name = key.startsWith(ownPrefix) ? key.slice(ownPrefix.length) : key.replaceAll('/', '.');
    const isTaken = Object.hasOwn(named, name) || name === othersKey;
    const isName = name.length <= longestName && checkQualifiedName(name).length === 0;
    if (isName && !isTaken) named[name] = value;
    else others[key] = value;
  }
  return Object.keys(others).length === 0 ? named : { ...named, [othersKey]: encodeJson(others) };
}
