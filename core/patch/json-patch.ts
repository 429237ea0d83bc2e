import { encodeJson } from '../decode/encode-json.ts';
import { describeJsonType } from '../decode/name-go-type.ts';
import { deepClone, deepEqual } from '../meta/deep.ts';
import { getOwn, isJsonObject, setOwn, type JsonObject, type JsonValue } from '../meta/json.ts';
import { capturePatchFault, PatchFault, type PatchResult } from './patch-fault.ts';

/** The API server's bound on what `copy` operations of one patch may add. */
const maxCopiedBytes = 3 * 1024 * 1024;
const missing = 'missing value';

type Container = JsonObject | JsonValue[];

/**
 * Applies a JSON Patch (RFC 6902) as Kubernetes' library does, with its liberties: `replace` of an absent key adds it, an absent
 * `value` is null, array indices may be negative and count from the end. Inputs are not changed.
 * A fault of kind `malformed` is a patch of the wrong shape, `failed` an operation that does not apply.
 */
export function applyJsonPatch(document: JsonValue, patch: JsonValue): PatchResult {
  return capturePatchFault(() => {
    if (patch === null) return deepClone(document);
    if (!Array.isArray(patch)) throw new PatchFault('malformed', describeWrongType(patch, 'jsonpatch.Patch'));
    for (const operation of patch) {
      if (operation !== null && !isJsonObject(operation)) {
        throw new PatchFault('malformed', describeWrongType(operation, 'jsonpatch.Operation'));
      }
    }
    const patcher = new JsonPatcher(deepClone(document));
    for (const operation of patch) patcher.apply(isJsonObject(operation) ? operation : {});
    return patcher.root;
  });
}

class JsonPatcher {
  root: JsonValue;
  private copiedBytes = 0;

  constructor(root: JsonValue) {
    this.root = root;
  }

  apply(operation: JsonObject): void {
    const op = getOwn(operation, 'op');
    switch (op) {
      case 'add':
        this.add(operation);
        break;
      case 'remove':
        this.remove(operation);
        break;
      case 'replace':
        this.replace(operation);
        break;
      case 'move':
        this.move(operation);
        break;
      case 'copy':
        this.copy(operation);
        break;
      case 'test':
        this.test(operation);
        break;
      default:
        fail(`Unexpected kind: ${typeof op === 'string' ? op : 'unknown'}`);
    }
  }

  private add(operation: JsonObject): void {
    const path = readPath(operation, 'path', 'add operation failed to decode path');
    const [container, key] = this.find(path, `add operation does not apply: doc is missing path: "${path}"`);
    addMember(container, key, readValue(operation), `error in add for path: '${path}'`);
  }

  private remove(operation: JsonObject): void {
    const path = readPath(operation, 'path', 'remove operation failed to decode path');
    const [container, key] = this.find(path, `remove operation does not apply: doc is missing path: "${path}"`);
    removeMember(container, key, `error in remove for path: '${path}'`);
  }

  private replace(operation: JsonObject): void {
    const path = readPath(operation, 'path', 'replace operation failed to decode path: operation missing path field');
    if (path === '') {
      // A root that is neither object nor array is passed over without a fault, as Kubernetes does.
      const value = readValue(operation);
      if (typeof value === 'object' && value !== null) this.root = value;
      return;
    }
    const [container, key] = this.find(path, `replace operation does not apply: doc is missing path: ${path}`);
    const value = readValue(operation);
    if (Array.isArray(container)) {
      const index = parseIndex(key);
      const at = index === undefined ? undefined : resolveIndex(index, container.length, container.length);
      if (at === undefined) fail(`replace operation does not apply: doc is missing key: ${path}: ${missing}`);
      else container[at] = value;
    } else {
      setOwn(container, key, value);
    }
  }

  private move(operation: JsonObject): void {
    const from = readPath(operation, 'from', 'move operation failed to decode from: operation, missing from field');
    const [source, sourceKey] = this.find(from, `move operation does not apply: doc is missing from path: ${from}`);
    const value = getMember(source, sourceKey, `error in move for path: '${sourceKey}'`);
    removeMember(source, sourceKey, `error in move for path: '${sourceKey}'`);
    const path = readPath(operation, 'path', 'move operation failed to decode path: operation missing path field');
    const [target, key] = this.find(path, `move operation does not apply: doc is missing destination path: ${path}`);
    addMember(target, key, value ?? null, `error in move for path: '${path}'`);
  }

  private copy(operation: JsonObject): void {
    const from = readPath(operation, 'from', 'copy operation failed to decode from: operation, missing from field');
    const [source, sourceKey] = this.find(from, `copy operation does not apply: doc is missing from path: ${from}`);
    const value = getMember(source, sourceKey, `error in copy for from: '${from}'`) ?? null;
    const path = readPath(operation, 'path', 'copy operation failed to decode path');
    const [target, key] = this.find(path, `copy operation does not apply: doc is missing destination path: ${path}`);
    this.copiedBytes += value === null ? 0 : encodeJson(value).length;
    if (this.copiedBytes > maxCopiedBytes) {
      fail(
        `Unable to complete the copy, the accumulated size increase of copy is ${this.copiedBytes}, exceeding the limit ${maxCopiedBytes}`,
      );
    }
    addMember(target, key, deepClone(value), 'error while adding value during copy');
  }

  private test(operation: JsonObject): void {
    const path = readPath(operation, 'path', 'test operation failed to decode path: operation missing path field');
    const expected = getOwn(operation, 'value');
    const failure = `testing value ${path} failed: test failed`;
    if (path === '') {
      if (expected === undefined || !deepEqual(this.root, expected)) fail(failure);
      return;
    }
    const [container, key] = this.find(path, `test operation does not apply: is missing path: ${path}`);
    const actual = getMember(container, key, `error in test for path: '${path}'`) ?? null;
    if (expected === undefined || !deepEqual(actual, expected)) fail(failure);
  }

  /** The container that holds the last part of a path, and that part; a fault when the way there does not exist. */
  private find(path: string, fault: string): [Container, string] {
    const parts = path.split('/');
    if (parts.length < 2 || typeof this.root !== 'object' || this.root === null) fail(`${fault}: ${missing}`);
    let container = this.root;
    for (let i = 1; i < parts.length - 1; i++) {
      const next = peekMember(container, decodeKey(parts[i] ?? ''));
      if (typeof next !== 'object' || next === null) fail(`${fault}: ${missing}`);
      container = next;
    }
    return [container, decodeKey(parts.at(-1) ?? '')];
  }
}

function fail(message: string): never {
  throw new PatchFault('failed', message);
}

function readPath(operation: JsonObject, field: 'path' | 'from', fault: string): string {
  const path = getOwn(operation, field);
  return typeof path === 'string' ? path : fail(`${fault}: ${missing}`);
}

function readValue(operation: JsonObject): JsonValue {
  return deepClone(getOwn(operation, 'value') ?? null);
}

function decodeKey(part: string): string {
  return part.includes('~') ? part.replaceAll(/~[01]/g, (escape) => (escape === '~1' ? '/' : '~')) : part;
}

function parseIndex(key: string): number | undefined {
  return /^[+-]?[0-9]{1,15}$/.test(key) ? Number(key) : undefined;
}

/** A place below `end`; a negative index counts back from `size`. `undefined` when there is no such place. */
function resolveIndex(index: number, size: number, end: number): number | undefined {
  const at = index < 0 ? index + size : index;
  return at >= 0 && at < end ? at : undefined;
}

function peekMember(container: Container, key: string): JsonValue | undefined {
  if (!Array.isArray(container)) return getOwn(container, key);
  const index = parseIndex(key);
  const at = index === undefined ? undefined : resolveIndex(index, container.length, container.length);
  return at === undefined ? undefined : container[at];
}

function getMember(container: Container, key: string, context: string): JsonValue | undefined {
  const member = peekMember(container, key);
  if (member === undefined && Array.isArray(container)) fail(`${context}: ${describeIndexFault(key)}`);
  return member;
}

function addMember(container: Container, key: string, value: JsonValue, context: string): void {
  if (!Array.isArray(container)) {
    setOwn(container, key, value);
    return;
  }
  if (key === '-') {
    container.push(value);
    return;
  }
  const index = parseIndex(key);
  if (index === undefined) fail(`${context}: value was not a proper array index: '${key}': ${describeIndexFault(key)}`);
  const at = resolveIndex(index, container.length + 1, container.length + 1);
  if (at === undefined) fail(`${context}: ${describeIndexFault(key)}`);
  container.splice(at, 0, value);
}

function removeMember(container: Container, key: string, context: string): void {
  if (Array.isArray(container)) {
    const index = parseIndex(key);
    const at = index === undefined ? undefined : resolveIndex(index, container.length, container.length);
    if (at === undefined) fail(`${context}: ${describeIndexFault(key)}`);
    container.splice(at, 1);
    return;
  }
  if (!Object.hasOwn(container, key)) fail(`${context}: Unable to remove nonexistent key: ${key}: ${missing}`);
  delete container[key];
}

function describeIndexFault(key: string): string {
  const index = parseIndex(key);
  if (index === undefined) return `strconv.Atoi: parsing ${JSON.stringify(key)}: invalid syntax`;
  return `Unable to access invalid index: ${index}: invalid index referenced`;
}

function describeWrongType(value: JsonValue, type: string): string {
  return `json: cannot unmarshal ${describeJsonType(value)} into Go value of type ${type}`;
}
