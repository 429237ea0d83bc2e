import { formatYaml } from '../../core/decode/format-yaml.ts';
import { parseJson } from '../../core/decode/parse-json.ts';

/** A JSON document as YAML. Throws when it is none. */
export function formatJsonAsYaml(json: Uint8Array): string {
  const parsed = parseJson(json);
  if ('fault' in parsed) throw new Error(`what is to be printed as YAML cannot be read: ${parsed.fault}`);
  return formatYaml(parsed.value);
}
