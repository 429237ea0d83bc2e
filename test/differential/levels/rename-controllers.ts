import { changeTexts, type Json } from './change-body.ts';

/** Applies `change` to every object within a value that has managedFields, from the inside out. */
function changeManagers(value: Json, change: (entries: Json[]) => Json[]): Json {
  if (Array.isArray(value)) return value.map((item) => changeManagers(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) =>
      key === 'managedFields' && Array.isArray(item) ? [key, change(item)] : [key, changeManagers(item, change)],
    ),
  );
}

const controllers: ReadonlySet<string> = new Set([
  ...['bailiwick', 'kube-controller-manager', 'validatingadmissionpolicy-status', 'clusterrole-aggregation-controller'],
]);

/** A conflict with a controller; those that apply are named without a version. */
const controllerConflict = new RegExp(
  `(conflicts?) with "(?:${[...controllers].join('|')})"( with subresource "[a-z]+")?(?: using [a-z0-9./]+)?`,
  'g',
);

/** A struct that its controller may own as a whole when nothing is left in it: one that updates does, one that applies does not. */
const ownedStruct = 'f:typeChecking';

/** A field set without who owns structs themselves, which those that apply do not. */
function dropOwnDots(fields: Json): Json {
  if (typeof fields !== 'object' || fields === null) return fields;
  const entries = Object.entries(fields).filter(
    ([name, inner]) => name !== '.' && (name !== ownedStruct || Object.keys(inner as Json).length > 0),
  );
  return Object.fromEntries(entries.map(([name, inner]) => [name, dropOwnDots(inner)]));
}

/** A controller's entry under a common name; nothing when it owned no more than structs. */
function renameEntry(entry: Json): Json[] {
  const fieldsV1 = dropOwnDots(entry.fieldsV1);
  const status = fieldsV1?.['f:status'];
  if (status !== undefined && Object.keys(status).length === 0 && Object.keys(fieldsV1).length === 1) return [];
  return [{ ...entry, manager: 'a controller', operation: 'Update', fieldsV1 }];
}

/** Controllers' entries, and conflicts with them, under one name. */
export function renameControllers(body: Json): Json {
  const renamed = changeTexts(body, (text) => text.replaceAll(controllerConflict, '$1 with a controller$2'));
  return changeManagers(renamed, (entries) => {
    const renamed = entries.flatMap((entry) => (controllers.has(entry.manager) ? renameEntry(entry) : [entry]));
    const keyed = renamed.map((entry) => [JSON.stringify(entry), entry] as const);
    return keyed.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
  });
}
