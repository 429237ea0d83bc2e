import { decodeTyped } from '../../core/decode/decode-typed.ts';
import { makeBadRequestError, makeInvalidError } from '../../core/errors/make-status-error.ts';
import { deepEqual } from '../../core/meta/deep.ts';
import { isJsonObject, type JsonObject, type JsonValue, setOwn } from '../../core/meta/json.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import { applySchemaDefaults } from '../../core/schema/apply-schema-defaults.ts';
import type { StrategyContext } from '../../kinds/kind-definition.ts';
import { type KindRegistry, policyKinds, type RegisteredKind } from '../../kinds/registry.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { judgeAside } from '../../platform/validation/judge-aside.ts';
import type { AdmissionAttributes, AdmissionPlugin, AdmissionReport } from '../admission-plugin.ts';

/** What the plugin needs. */
export interface OwnObjectsPluginOptions {
  readonly registry: KindRegistry;
  readonly clock: Clock;
}

/** Members that the host looks after. */
const hostMembers: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);
const ownPlurals: ReadonlySet<string> = new Set(
  policyKinds.map(({ groupTemplate, plural }) => `${groupTemplate}/${plural}`),
);

/** The members of an object that its author decides about. */
function listContent(object: object): [string, unknown][] {
  return Object.entries(object).filter(([key]) => !hostMembers.has(key));
}

/**
 * Drops what became null: a host prunes it where its schema does not say otherwise, and refuses it where a list must be.
 * In place, as deep as own objects nest.
 */
function dropNewNulls(value: JsonValue | undefined, raw: JsonValue | undefined): void {
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) dropNewNulls(item, Array.isArray(raw) ? raw[i] : undefined);
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) {
      const before = isJsonObject(raw) && Object.hasOwn(raw, key) ? raw[key] : undefined;
      if (value[key] !== null) dropNewNulls(value[key], before);
      else if (before === undefined) delete value[key];
      else if (before !== null) value[key] = before;
    }
  }
}

/**
 * Gives objects of own kinds on a host what a schema alone cannot: the kind's defaults and canonical form, every rule of the kind, and its
 * warnings. An object that is stored already may keep its faults, so that whoever removes a finalizer or a label is not held up by them.
 */
export class OwnObjectsPlugin implements AdmissionPlugin {
  readonly name = 'OwnObjects';
  readonly #options: OwnObjectsPluginOptions;

  constructor(options: OwnObjectsPluginOptions) {
    this.#options = options;
  }

  handles({ operation, subresource, object, oldObject, ...attributes }: AdmissionAttributes): boolean {
    if (object === undefined || subresource !== undefined) return false;
    if (operation !== 'CREATE' && operation !== 'UPDATE') return false;
    return oldObject?.metadata.deletionTimestamp === undefined && this.#findKind(attributes.resource) !== undefined;
  }

  async mutate({ resource, object }: AdmissionAttributes): Promise<void> {
    const kind = this.#findKind(resource);
    if (kind === undefined || object === undefined) return;
    const raw = object as unknown as JsonObject;
    const decoded = this.#decode(kind, object);
    // What does not decode is the schema's to refuse.
    if ('fault' in decoded) return;
    const content = Object.fromEntries(listContent(decoded.object)) as JsonObject;
    dropNewNulls(content, raw);
    for (const [key] of listContent(object)) delete raw[key];
    for (const [key, value] of Object.entries(content)) setOwn(raw, key, value);
  }

  async validate(attributes: AdmissionAttributes, report: AdmissionReport): Promise<void> {
    const { resource, object: raw, oldObject, operation, user, deadlineMillis } = attributes;
    const kind = this.#findKind(resource);
    if (kind === undefined || raw === undefined) return;
    const object = this.#decodeOrThrow(kind, raw);
    const old = operation === 'UPDATE' && oldObject !== undefined ? this.#decode(kind, oldObject) : undefined;
    // An old object that does not decode is no measure for the new one.
    const before = old === undefined || 'fault' in old ? undefined : old.object;
    const isUnchanged = before !== undefined && deepEqual(listContent(object), listContent(before));
    const context = before === undefined ? { ...this.#context(), user } : this.#context();
    if (before === undefined) kind.strategy.prepareForCreate(object, context);
    else kind.strategy.prepareForUpdate(object, before, context);
    const { faults, warnings } = await judgeAside(kind, { object, old: before, context, deadlineMillis });
    for (const text of warnings) report.warn(text);
    if (faults.length === 0) return;
    const error = makeInvalidError(kind.aliasGroup ?? kind.group, kind.kind, raw.metadata.name ?? '', faults);
    if (!isUnchanged) throw error;
    report.warn(`${error.message}; nothing acts on it`);
  }

  #context(): StrategyContext {
    return { domain: this.#options.registry.domain, nowMillis: this.#options.clock.now() };
  }

  #findKind({ group, version, resource }: AdmissionAttributes['resource']): RegisteredKind | undefined {
    const kind = this.#options.registry.find(group, version, resource);
    return kind !== undefined && ownPlurals.has(`${kind.groupTemplate}/${kind.plural}`) ? kind : undefined;
  }

  #decode(kind: RegisteredKind, raw: KubeObject): { object: KubeObject } | { fault: string } {
    const decoded = decodeTyped(raw as unknown as JsonValue, kind.schema, {});
    if ('fault' in decoded) return decoded;
    applySchemaDefaults(decoded.object, kind.schema);
    const object = decoded.object as unknown as KubeObject;
    kind.strategy.applyDefaults(object, this.#context());
    return { object };
  }

  #decodeOrThrow(kind: RegisteredKind, raw: KubeObject): KubeObject {
    const decoded = this.#decode(kind, raw);
    if ('object' in decoded) return decoded.object;
    throw makeBadRequestError(
      `${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: ${decoded.fault}`,
    );
  }
}
