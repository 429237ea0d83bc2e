import { encodeJson } from '../../core/decode/encode-json.ts';
import { makeBadRequestError } from '../../core/errors/make-status-error.ts';
import { deepEqual } from '../../core/meta/deep.ts';
import { getOwn, isJsonObject, setOwn, type JsonObject, type JsonValue } from '../../core/meta/json.ts';
import type { HostAnswer } from '../../platform/kube/host-connection.ts';
import { renameFromHost, renameToHost } from '../../platform/resources/host-groups.ts';
import { parseHostJson, readHostText } from '../../platform/resources/read-host-answer.ts';
import { applyPatch } from '../apiserver/pipeline/apply-patch.ts';
import { parsePatch, type ParsedPatch } from '../apiserver/pipeline/parse-patch.ts';
import { sendToHost, type ForwardCall } from './forward-request.ts';
import type { OwnRoute } from './host-route.ts';

/** As often as a server applies a patch anew when the object changed meanwhile. */
const MAX_ATTEMPTS = 5;
const patchType = 'application/strategic-merge-patch+json';

/** The merge patch (RFC 7396) that makes `after` of `before`. */
export function makeMergePatch(before: JsonObject, after: JsonObject): JsonObject {
  const patch: JsonObject = {};
  for (const name of Object.keys(before)) if (getOwn(after, name) === undefined) setOwn(patch, name, null);
  for (const [name, value] of Object.entries(after)) {
    const former = getOwn(before, name);
    if (value === undefined || deepEqual(former, value)) continue;
    setOwn(patch, name, isJsonObject(former) && isJsonObject(value) ? makeMergePatch(former, value) : value);
  }
  return patch;
}

/** Whether the client itself says which version it means. */
function namesVersion(patch: JsonValue): boolean {
  const metadata = isJsonObject(patch) ? patch['metadata'] : undefined;
  return isJsonObject(metadata) && metadata['resourceVersion'] !== undefined;
}

/** What the patch changes in the object as it is stored, to be applied to nothing else. */
function planMergePatch(patch: ParsedPatch, stored: JsonObject, route: OwnRoute): JsonValue {
  const { value } = applyPatch(patch, stored, route.kind.schema);
  if (!isJsonObject(value)) throw makeBadRequestError('the result of the patch is no object');
  const changes = makeMergePatch(stored, value);
  if (Object.keys(changes).length === 0) return changes;
  const metadata = isJsonObject(stored['metadata']) ? stored['metadata'] : {};
  const given = isJsonObject(changes['metadata']) ? changes['metadata'] : {};
  const bound = { ...changes, metadata: { resourceVersion: metadata['resourceVersion'] ?? '', ...given } };
  return route.renaming === undefined ? bound : renameToHost(route.renaming, bound);
}

/**
 * Sends a strategic merge patch as the merge patch that does the same to the object that is stored now: custom resources take none.
 * Needs the right to read the object too; the refusal of the read answers otherwise. Throws a StatusError for a patch that cannot be.
 */
export async function sendStrategicPatch(
  call: ForwardCall & { readonly route: OwnRoute },
  body: Buffer,
  headers: Readonly<Record<string, string | undefined>>,
): Promise<HostAnswer> {
  const { route } = call;
  const patch = await parsePatch(patchType, body, 'Ignore');
  for (let attempt = 1; ; attempt += 1) {
    const read = await sendToHost(call, {
      method: 'GET',
      search: '',
      headers: { ...headers, accept: 'application/json', 'content-type': undefined },
    });
    if (read.status !== 200) return read;
    const stored = parseHostJson(await readHostText(read.body)) as JsonObject;
    if (route.renaming !== undefined) renameFromHost(route.renaming, stored);
    const answer = await sendToHost(call, {
      body: Buffer.from(encodeJson(planMergePatch(patch, stored, route))),
      headers: { ...headers, 'content-type': 'application/merge-patch+json' },
    });
    if (answer.status !== 409 || namesVersion(patch.value) || attempt === MAX_ATTEMPTS) return answer;
    answer.body.destroy();
  }
}
