import { isJsonObject, type JsonObject, type JsonValue } from '../../core/meta/json.ts';
import { parseHostJson, readHostText } from '../../platform/resources/read-host-answer.ts';
import { wholeAnswer } from './forward-headers.ts';
import { sendToHost, type ForwardCall } from './forward-request.ts';
import type { OwnRoute } from './host-route.ts';

/** Reads what is about to be deleted, for a kind whose deletion answers the object; `undefined` when it cannot be read. */
export async function readBeforeDeletion(
  call: ForwardCall & { readonly route: OwnRoute },
): Promise<JsonObject | undefined> {
  if (call.route.kind.returnsDeletedObject !== true || call.exchange.info.verb !== 'delete') return undefined;
  const read = await sendToHost(call, {
    method: 'GET',
    search: '',
    headers: { ...wholeAnswer, accept: 'application/json', 'content-type': undefined, 'content-length': undefined },
  });
  if (read.status !== 200) {
    read.body.resume();
    return undefined;
  }
  const value = parseHostJson(await readHostText(read.body));
  return isJsonObject(value) ? value : undefined;
}

/** What a deletion answers: the object as it was last, where the host only tells that it is gone. */
export function chooseDeletionAnswer(answered: JsonValue, before: JsonObject | undefined): JsonValue {
  if (before === undefined || !isJsonObject(answered) || answered['kind'] !== 'Status') return answered;
  const { details } = answered;
  const metadata = isJsonObject(before['metadata']) ? before['metadata'] : {};
  // Another of the same name may have come between.
  return isJsonObject(details) && details['uid'] === metadata['uid'] ? before : answered;
}

/** What the deletion of a collection answers, in the specification's words; a host lists what was deleted. */
export function makeCollectionDeleted({ kind, apiVersion }: OwnRoute): JsonObject {
  const group = apiVersion.includes('/') ? apiVersion.split('/', 1)[0] : undefined;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { ...(group === undefined ? {} : { group }), kind: kind.plural },
    code: 200,
  };
}
