import { encodeJson } from '../../core/decode/encode-json.ts';
import { makeBadRequestError } from '../../core/errors/make-status-error.ts';
import { deepClone } from '../../core/meta/deep.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/meta/json.ts';
import { makeMergePatch } from '../../core/patch/make-merge-patch.ts';
import type { HostAnswer } from '../../platform/kube/host-connection.ts';
import { renameFromHost, renameToHost } from '../../platform/resources/host-groups.ts';
import { parseHostJson, readHostText } from '../../platform/resources/read-host-answer.ts';
import type { PatchType } from '../../platform/resources/resource-client.ts';
import { applyPatch } from '../apiserver/pipeline/apply-patch.ts';
import { parsePatch, type ParsedPatch } from '../apiserver/pipeline/parse-patch.ts';
import { sendToHost, type ForwardCall } from './forward-request.ts';
import { hideMembers, keepHiddenMembers, type HiddenMembers } from './hidden-members.ts';
import type { OwnRoute } from './host-route.ts';

/** As often as a server applies a patch anew when the object changed meanwhile. */
const MAX_ATTEMPTS = 5;
const mergePatch = 'application/merge-patch+json';
const computed: readonly PatchType[] = [mergePatch, 'application/json-patch+json'];

/** Whether the client itself says which version it means. */
function namesVersion(patch: JsonValue): boolean {
  const metadata = isJsonObject(patch) ? patch['metadata'] : undefined;
  return isJsonObject(metadata) && metadata['resourceVersion'] !== undefined;
}

/** What the patch changes in the object as it is stored, to be applied to nothing else. */
function planMergePatch(patch: ParsedPatch, stored: JsonObject, hidden: HiddenMembers, route: OwnRoute): JsonValue {
  const shown = deepClone(stored);
  hideMembers(shown, hidden);
  const { value } = applyPatch(patch, shown, route.kind.schema);
  if (!isJsonObject(value)) throw makeBadRequestError('the result of the patch is no object');
  const changes = makeMergePatch(stored, keepHiddenMembers(value, stored, hidden));
  if (Object.keys(changes).length === 0) return changes;
  const metadata = isJsonObject(stored['metadata']) ? stored['metadata'] : {};
  const given = isJsonObject(changes['metadata']) ? changes['metadata'] : {};
  const bound = { ...changes, metadata: { resourceVersion: metadata['resourceVersion'] ?? '', ...given } };
  return route.renaming === undefined ? bound : renameToHost(route.renaming, bound);
}

/** Whether a patch must be applied here: custom resources take no strategic ones, and others could remove what is hidden. */
export function isAppliedHere(type: string | undefined, subresource: string, hidden: HiddenMembers): type is PatchType {
  if (type === 'application/strategic-merge-patch+json') return true;
  return subresource === 'status' && hidden.size > 0 && computed.some((one) => one === type);
}

/**
 * Sends a patch as the merge patch that does the same to the object that is stored now, hidden members untouched.
 * Needs the right to read the object too; the refusal of the read answers otherwise. Throws a StatusError for a patch that cannot be.
 */
export async function sendPatch(
  call: ForwardCall & { readonly route: OwnRoute },
  type: PatchType,
  body: Buffer,
  hidden: HiddenMembers,
  headers: Readonly<Record<string, string | undefined>>,
): Promise<HostAnswer> {
  const { route } = call;
  const patch = await parsePatch(type, body, 'Ignore');
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
      body: Buffer.from(encodeJson(planMergePatch(patch, stored, hidden, route))),
      headers: { ...headers, 'content-type': mergePatch },
    });
    if (answer.status !== 409 || namesVersion(patch.value) || attempt === MAX_ATTEMPTS) return answer;
    answer.body.resume();
  }
}
