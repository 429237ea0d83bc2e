import { deepEqual } from '../../core/meta/deep.ts';
import type { OwnerReference } from '../../core/meta/kube-object.ts';
import type { Enforcement } from '../../platform/release/enforcement.ts';
import type { ReleaseNames } from '../../platform/release/release-names.ts';
import {
  configurationKinds,
  type MatchCondition,
  type SelectorRequirement,
  type WebhookClientConfig,
  type WebhookConfiguration,
  type WebhookEntry,
  type WebhookType,
} from './webhook-configuration.ts';
import type { WebhookNeed } from './webhook-need.ts';

/** The configurations of a release as they are at the host; absent: there is none. */
export interface PresentConfigurations extends Readonly<Partial<Record<WebhookType, WebhookConfiguration>>> {
  /** Validating ones beside the first. */
  readonly further?: readonly WebhookConfiguration[];
}

/** Everything that decides what is registered at the host. */
export interface RegistrationFacts {
  readonly needs: readonly WebhookNeed[];
  readonly enforcement: Enforcement;
  readonly release: string;
  readonly names: ReleaseNames;
  /** The release's. */
  readonly namespace: string;
  readonly domain: string;
  /** PEM; `undefined`: not known yet. */
  readonly caBundle: string | undefined;
  /** Where the host reaches the webhooks; `undefined`: by the release's Service. */
  readonly webhooksUrl: string | undefined;
  /** Names of the namespaces that exist, the oldest first. */
  readonly namespaces: readonly string[];
  /** What the configurations are to go with; `undefined`: nothing. */
  readonly owner: OwnerReference | undefined;
  readonly present: PresentConfigurations;
}

/** One write at the host. */
export interface RegistrationWrite {
  readonly action: 'create' | 'update' | 'delete';
  readonly type: WebhookType;
  readonly object: WebhookConfiguration;
}

/** What to write, in this order, and which entries there are then. `waitsFor` says what is missing; then nothing is written. */
export interface RegistrationPlan {
  readonly writes: readonly RegistrationWrite[];
  readonly entries: Readonly<Record<WebhookType, readonly WebhookEntry[]>>;
  readonly waitsFor?: 'caBundle';
}

/** Validating configurations that a release may have. */
const maxConfigurations = 4;
const maxNamespaces = 500;
const nameLabel = 'kubernetes.io/metadata.name';
const hostNamespaces = ['kube-node-lease', 'kube-system'] as const;

/** Namespaces that are never governed: the host's own, and the release's. */
export function listExcludedNamespaces(releaseNamespace: string): string[] {
  return [...new Set([...hostNamespaces, releaseNamespace])].toSorted();
}

/** Names of the validating configurations of a release beside the first, whether there is need of them or not. */
export function listFurtherConfigurations({ webhookConfiguration }: ReleaseNames): string[] {
  return Array.from({ length: maxConfigurations - 1 }, (_, i) => `${webhookConfiguration}.${i + 2}`);
}

/** Whom the webhooks never judge, so that a host comes up, and the release works, without them. */
function listMatchConditions({ names, namespace }: RegistrationFacts): MatchCondition[] {
  const accounts = [names.operator, names.webhooks].map((name) => `"system:serviceaccount:${namespace}:${name}"`);
  return [
    { name: 'not-own-accounts', expression: `!(request.userInfo.username in [${accounts.join(', ')}])` },
    // The API server keeps its Service and Endpoints by itself.
    { name: 'not-the-api-server', expression: 'request.userInfo.username != "system:apiserver"' },
    // A static pod runs whatever is answered about its mirror; a refusal would only hide it.
    { name: 'not-nodes', expression: '!(has(request.userInfo.groups) && "system:nodes" in request.userInfo.groups)' },
  ];
}

/** Requirements on the namespace; `undefined` when none is left. */
function selectNamespaces(need: WebhookNeed, facts: RegistrationFacts): SelectorRequirement[] | undefined {
  const excluded = listExcludedNamespaces(facts.namespace);
  const without = (names: readonly string[]): SelectorRequirement => ({
    key: nameLabel,
    operator: 'NotIn',
    values: names.toSorted(),
  });
  if (need.namespaces === undefined) return [...(need.namespaceSelector ?? []), without(excluded)];
  const { namespaces } = need;
  const governed = [...namespaces].filter((name) => name !== '' && !excluded.includes(name)).toSorted();
  if (governed.length === 0) return undefined;
  if (governed.length <= maxNamespaces) {
    return [{ key: nameLabel, operator: 'In', values: governed }, without(excluded)];
  }
  // Of those with nothing to enforce the oldest matter most: a host's networking is among them, which pods need before any webhook runs.
  const others = facts.namespaces.filter((name) => !namespaces.has(name) && !excluded.includes(name));
  return [without([...excluded, ...others.slice(0, maxNamespaces - excluded.length)])];
}

function makeClientConfig(need: WebhookNeed, facts: RegistrationFacts, caBundle: string): WebhookClientConfig {
  const encoded = Buffer.from(caBundle).toString('base64');
  const { webhooksUrl, namespace, names } = facts;
  if (webhooksUrl !== undefined) return { url: `${webhooksUrl.replace(/\/+$/, '')}${need.path}`, caBundle: encoded };
  return { service: { namespace, name: names.webhooks, path: need.path, port: 443 }, caBundle: encoded };
}

/** Name of an entry: a host takes none of fewer than three words. */
export function nameEntry(name: string, domain: string): string {
  const isShort = !name.includes('.') && !domain.includes('.');
  return isShort ? `${name}.webhooks.${domain}` : `${name}.${domain}`;
}

function makeEntry(need: WebhookNeed, facts: RegistrationFacts, caBundle: string): WebhookEntry | undefined {
  const matchExpressions = selectNamespaces(need, facts);
  if (matchExpressions === undefined) return undefined;
  return {
    name: nameEntry(need.name, facts.domain),
    clientConfig: makeClientConfig(need, facts, caBundle),
    rules: need.rules,
    failurePolicy: facts.enforcement === 'Enforce' ? need.failurePolicy : 'Ignore',
    matchPolicy: 'Equivalent',
    namespaceSelector: { matchExpressions },
    objectSelector:
      need.objectSelector === undefined || need.objectSelector.length === 0
        ? {}
        : { matchExpressions: need.objectSelector },
    sideEffects: need.sideEffects,
    timeoutSeconds: need.timeoutSeconds,
    admissionReviewVersions: ['v1'],
    matchConditions: [...(need.isSparing === true ? listMatchConditions(facts) : []), ...(need.matchConditions ?? [])],
    ...(need.type === 'mutating' ? { reinvocationPolicy: need.isReinvoked === true ? 'IfNeeded' : 'Never' } : {}),
  };
}

function makeConfiguration(
  type: WebhookType,
  name: string,
  entries: readonly WebhookEntry[],
  facts: RegistrationFacts,
): WebhookConfiguration {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: configurationKinds[type].kind,
    metadata: {
      name,
      labels: {
        'app.kubernetes.io/name': 'bailiwick',
        'app.kubernetes.io/instance': facts.release,
        'app.kubernetes.io/component': 'webhooks',
        'app.kubernetes.io/managed-by': facts.names.operator,
      },
      ...(facts.owner === undefined ? {} : { ownerReferences: [facts.owner] }),
    },
    webhooks: entries,
  };
}

/** Whether every field that we write is as we write it; a host may know fields that we do not. */
function isCurrent(present: WebhookConfiguration, wanted: WebhookConfiguration): boolean {
  const hasFields = (value: object | undefined, fields: object): boolean =>
    value !== undefined &&
    Object.entries(fields).every(([key, field]) => {
      // A host leaves out a list that is empty.
      const found = (value as Record<string, unknown>)[key] ?? (Array.isArray(field) ? [] : undefined);
      return deepEqual(found, field);
    });
  const { webhooks = [], metadata } = present;
  const entries = wanted.webhooks ?? [];
  return (
    webhooks.length === entries.length &&
    entries.every((entry, i) => hasFields(webhooks[i], entry)) &&
    hasFields(metadata.labels ?? {}, wanted.metadata.labels ?? {}) &&
    deepEqual(metadata.ownerReferences ?? [], wanted.metadata.ownerReferences ?? [])
  );
}

/** One configuration as it is, and what is to be in it. */
interface Slot {
  readonly type: WebhookType;
  readonly name: string;
  readonly present: WebhookConfiguration | undefined;
  readonly entries: readonly WebhookEntry[];
}

function planWrite({ type, name, present, entries }: Slot, facts: RegistrationFacts): RegistrationWrite | undefined {
  if (entries.length === 0) return present === undefined ? undefined : { action: 'delete', type, object: present };
  const wanted = makeConfiguration(type, name, entries, facts);
  if (present === undefined) return { action: 'create', type, object: wanted };
  if (isCurrent(present, wanted)) return undefined;
  const metadata = { ...present.metadata, ...wanted.metadata };
  metadata.labels = { ...present.metadata.labels, ...wanted.metadata.labels };
  if (facts.owner === undefined) delete metadata.ownerReferences;
  return { action: 'update', type, object: { ...wanted, metadata } };
}

/** The configurations in the order in which they are written: replicas look at the first one only, which says whom the host trusts. */
function listSlots(needs: readonly WebhookNeed[], facts: RegistrationFacts): Slot[] {
  const { names, present } = facts;
  const listEntries = (type: WebhookType, configuration: number): WebhookEntry[] =>
    needs
      .filter((need) => need.type === type && (need.configuration ?? 0) === configuration)
      .flatMap((need) => makeEntry(need, facts, facts.caBundle ?? '') ?? []);
  const further = listFurtherConfigurations(names).map((name, i): Slot => ({
    ...{ type: 'validating', name, entries: listEntries('validating', i + 1) },
    present: present.further?.find(({ metadata }) => metadata.name === name),
  }));
  const name = names.webhookConfiguration;
  return [
    ...further,
    { type: 'mutating', name, present: present.mutating, entries: listEntries('mutating', 0) },
    { type: 'validating', name, present: present.validating, entries: listEntries('validating', 0) },
  ];
}

/** What is judged by another configuration now must be there before it is gone here, and objects are filled in for as long as they are judged. */
function rankWrite({ action, type }: RegistrationWrite): number {
  if (type === 'mutating') return action === 'delete' ? 4 : 0;
  return { create: 1, update: 2, delete: 3 }[action];
}

/**
 * What must be written so that the host asks about what the needs say and nothing else: entries that bind refuse what cannot be judged,
 * in an audit nothing does, and when decisions are off, or nothing is needed, nothing stays registered.
 */
export function planRegistrations(facts: RegistrationFacts): RegistrationPlan {
  const { enforcement, caBundle, present } = facts;
  const needs = enforcement === 'Off' ? [] : facts.needs.filter(({ rules }) => rules.length > 0);
  if (needs.length > 0 && caBundle === undefined) {
    const validating = [present.validating, ...(present.further ?? [])].flatMap((one) => one?.webhooks ?? []);
    return { writes: [], entries: { mutating: present.mutating?.webhooks ?? [], validating }, waitsFor: 'caBundle' };
  }
  const slots = listSlots(needs, facts);
  const list = (type: WebhookType) => slots.filter((slot) => slot.type === type).flatMap((slot) => slot.entries);
  const writes = slots.flatMap((slot) => planWrite(slot, facts) ?? []);
  return {
    writes: writes.toSorted((left, right) => rankWrite(left) - rankWrite(right)),
    entries: { mutating: list('mutating'), validating: list('validating') },
  };
}
