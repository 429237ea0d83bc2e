import { isJsonObject, type JsonObject, type JsonValue } from '../../core/meta/json.ts';
import type { RegisteredKind } from '../../kinds/registry.ts';

/** Names of members by the name of the object that they are in: `status` to `claims` and `count`. */
export type HiddenMembers = ReadonlyMap<string, ReadonlySet<string>>;

/** What is in a kind's custom resource only and no client is shown, and who owns it there, as `fieldsV1` says. */
export function listHiddenMembers(kind: Pick<RegisteredKind, 'crd'>): HiddenMembers {
  const hidden = new Map<string, Set<string>>();
  for (const path of Object.keys(kind.crd?.additions ?? {})) {
    const [parent = '', member = ''] = path.split('.');
    hidden.set(parent, new Set([...(hidden.get(parent) ?? []), member]));
    hidden.set(`f:${parent}`, new Set([...(hidden.get(`f:${parent}`) ?? []), `f:${member}`]));
  }
  return hidden;
}

/** Takes hidden members out of a value, in place, however deep they are. */
export function hideMembers(value: JsonValue | undefined, hidden: HiddenMembers): void {
  if (hidden.size === 0) return;
  if (Array.isArray(value)) for (const item of value) hideMembers(item, hidden);
  if (!isJsonObject(value)) return;
  for (const [name, member] of Object.entries(value)) {
    if (isJsonObject(member)) for (const inner of hidden.get(name) ?? []) delete member[inner];
    hideMembers(member, hidden);
  }
}

/** An object that a client wrote, with the hidden members as they are stored, whatever it says of them itself. */
export function keepHiddenMembers(written: JsonObject, stored: JsonObject, hidden: HiddenMembers): JsonObject {
  const merged = { ...written };
  for (const [parent, members] of hidden) {
    const given = merged[parent];
    const kept = stored[parent];
    const entries = Object.entries(isJsonObject(kept) ? kept : {}).filter(([name]) => members.has(name));
    const rest = Object.entries(isJsonObject(given) ? given : {}).filter(([name]) => !members.has(name));
    if (isJsonObject(given) || entries.length > 0) merged[parent] = Object.fromEntries([...rest, ...entries]);
  }
  return merged;
}
