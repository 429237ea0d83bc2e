import { encodeJson } from '../../core/decode/encode-json.ts';
import { parseJson } from '../../core/decode/parse-json.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/meta/json.ts';
import type { HostAnswer } from '../../platform/kube/host-connection.ts';
import { parseHostJson, readHostText } from '../../platform/resources/read-host-answer.ts';
import { parseYamlAside } from '../../platform/decoding/parse-yaml-aside.ts';
import type { HiddenMembers } from './json-rewriter.ts';
import { sendToHost, type ForwardCall } from './forward-request.ts';

/** How often an update that names no resourceVersion is tried again when others were quicker, as a server does. */
const MAX_ATTEMPTS = 5;

async function parseBody(bytes: Buffer, contentType: string): Promise<JsonValue | undefined> {
  const isYaml = contentType.startsWith('application/yaml');
  const parsed = isYaml ? await parseYamlAside(bytes) : parseJson(bytes);
  return 'fault' in parsed ? undefined : parsed.value;
}

function takeOver(body: JsonObject, stored: JsonObject, hidden: HiddenMembers): JsonObject {
  const merged = { ...body };
  for (const [parent, members] of hidden) {
    const given = merged[parent];
    const kept = stored[parent];
    const entries = Object.entries(isJsonObject(kept) ? kept : {}).filter(([name]) => members.has(name));
    const rest = Object.entries(isJsonObject(given) ? given : {}).filter(([name]) => !members.has(name));
    if (isJsonObject(given) || entries.length > 0) merged[parent] = Object.fromEntries([...rest, ...entries]);
  }
  const metadata = isJsonObject(body['metadata']) ? body['metadata'] : {};
  const storedMetadata = isJsonObject(stored['metadata']) ? stored['metadata'] : {};
  const { resourceVersion } = metadata;
  if (resourceVersion === undefined || resourceVersion === '') {
    merged['metadata'] = { ...metadata, resourceVersion: storedMetadata['resourceVersion'] ?? '' };
  }
  return merged;
}

/**
 * Sends an update of a status whose reader was not shown all of it: what is hidden stays as it is stored. Needs the right to read the
 * object too; the refusal of the read answers otherwise.
 */
export async function updateStatus(
  call: ForwardCall,
  body: { readonly bytes: Buffer; readonly contentType: string },
  hidden: HiddenMembers,
  headers: Readonly<Record<string, string | undefined>>,
): Promise<HostAnswer> {
  const given = await parseBody(body.bytes, body.contentType);
  if (!isJsonObject(given)) {
    return sendToHost(call, { body: body.bytes, headers: { ...headers, 'content-type': body.contentType } });
  }
  for (let attempt = 1; ; attempt += 1) {
    const read = await sendToHost(call, {
      method: 'GET',
      search: '',
      headers: { ...headers, accept: 'application/json', 'content-type': undefined },
    });
    if (read.status !== 200) return read;
    const stored = parseHostJson(await readHostText(read.body));
    const merged = takeOver(given, isJsonObject(stored) ? stored : {}, hidden);
    const answer = await sendToHost(call, {
      body: Buffer.from(encodeJson(merged)),
      headers: { ...headers, 'content-type': 'application/json' },
    });
    const isUnconditional = !(isJsonObject(given['metadata']) && given['metadata']['resourceVersion']);
    if (answer.status !== 409 || !isUnconditional || attempt === MAX_ATTEMPTS) return answer;
    answer.body.destroy();
  }
}
