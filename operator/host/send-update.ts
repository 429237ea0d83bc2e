import { encodeJson } from '../../core/decode/encode-json.ts';
import { parseJson } from '../../core/decode/parse-json.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/meta/json.ts';
import { parseYamlAside } from '../../platform/decoding/parse-yaml-aside.ts';
import type { HostAnswer } from '../../platform/kube/host-connection.ts';
import { parseHostJson, readHostText } from '../../platform/resources/read-host-answer.ts';
import { sendToHost, type ForwardCall } from './forward-request.ts';
import { keepHiddenMembers, type HiddenMembers } from './hidden-members.ts';
import type { OwnRoute } from './host-route.ts';
import type { ForwardedBody } from './rename-request-body.ts';

/** How often an update that names no resourceVersion is tried again when others were quicker, as a server does. */
const MAX_ATTEMPTS = 5;

export interface UpdateCall extends ForwardCall {
  readonly route: OwnRoute;
}

async function parseBody({ bytes, contentType }: ForwardedBody): Promise<JsonValue | undefined> {
  const isYaml = contentType.startsWith('application/yaml');
  const parsed = isYaml ? await parseYamlAside(bytes) : parseJson(bytes);
  return 'fault' in parsed ? undefined : parsed.value;
}

function readResourceVersion(object: JsonObject): JsonValue {
  const { metadata } = object;
  return (isJsonObject(metadata) ? metadata['resourceVersion'] : undefined) ?? '';
}

/** The body on top of what is stored: hidden members as they are there, and its version where the body names none. */
function takeOver(body: JsonObject, stored: JsonObject, hidden: HiddenMembers): JsonObject {
  const merged = keepHiddenMembers(body, stored, hidden);
  if (readResourceVersion(body) !== '') return merged;
  const metadata = isJsonObject(body['metadata']) ? body['metadata'] : {};
  return { ...merged, metadata: { ...metadata, resourceVersion: readResourceVersion(stored) } };
}

/**
 * Sends an update as a custom resource takes it. Those need the version that they replace, so that of an update that names none is
 * read; and what a reader was not shown of a status stays as it is stored. That takes the right to read the object: the refusal of the read
 * answers otherwise. A kind whose update creates what is absent is created.
 */
export async function sendUpdate(
  call: UpdateCall,
  body: ForwardedBody,
  hidden: HiddenMembers,
  headers: Readonly<Record<string, string | undefined>>,
): Promise<HostAnswer> {
  const { route, exchange } = call;
  const { strategy } = route.kind;
  const isStatus = exchange.info.subresource === 'status';
  const asGiven = { body: body.bytes, headers: { ...headers, 'content-type': body.contentType } };
  const given = await parseBody(body);
  if (!isJsonObject(given)) return sendToHost(call, asGiven);
  const isUnconditional = readResourceVersion(given) === '' && strategy.allowUnconditionalUpdate !== false;
  if (!isUnconditional && !(isStatus && hidden.size > 0)) return sendToHost(call, asGiven);
  for (let attempt = 1; ; attempt += 1) {
    const read = await sendToHost(call, {
      method: 'GET',
      search: '',
      headers: { ...headers, accept: 'application/json', 'content-type': undefined },
    });
    if (read.status === 404 && strategy.allowCreateOnUpdate === true && exchange.info.subresource === '') {
      read.body.resume();
      const hostPath = call.hostPath.replace(/\/[^/]*\/*$/, '');
      return sendToHost({ ...call, hostPath }, { ...asGiven, method: 'POST' });
    }
    if (read.status !== 200) return read;
    const stored = parseHostJson(await readHostText(read.body));
    const answer = await sendToHost(call, {
      body: Buffer.from(encodeJson(takeOver(given, isJsonObject(stored) ? stored : {}, isStatus ? hidden : new Map()))),
      headers: { ...headers, 'content-type': 'application/json' },
    });
    if (answer.status !== 409 || !isUnconditional || attempt === MAX_ATTEMPTS) return answer;
    answer.body.resume();
  }
}
