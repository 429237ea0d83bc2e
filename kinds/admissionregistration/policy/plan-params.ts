import type { JsonObject } from '../../../core/meta/json.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { parseApiVersion } from '../../../core/meta/resource-name.ts';
import { type LabelSelector, matchesLabelSelector } from '../../../core/selectors/label-selector.ts';
import type { ParamRef } from '../validating-admission-policy-binding/schema.ts';
import type { ParamKind } from '../validating-admission-policy/schema.ts';

/** Objects of a kind of parameters, as they are known to one decision; or why there can be none, in Kubernetes' words. */
export type ParamSource =
  | { readonly fault: string; readonly list?: undefined }
  | {
      readonly fault?: undefined;
      readonly namespaced: boolean;
      /** `undefined` when there is none; `namespace` is absent for cluster-scoped kinds. */
      get(name: string, namespace?: string): KubeObject | undefined;
      /** Of one namespace, or all of them, in no particular order. */
      list(namespace?: string): readonly KubeObject[];
    };

/** What a policy is evaluated with, in the order of namespace and name (null: without), or why that cannot be told. */
export type ParamPlan = { readonly params: readonly (JsonObject | null)[] } | { readonly fault: string };

/** A kind as Kubernetes prints it: `apps/v1, Kind=Deployment`. */
function formatParamKind({ apiVersion = '', kind = '' }: ParamKind): string {
  const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: apiVersion };
  return `${group}/${version}, Kind=${kind}`;
}

/** The fault of a policy whose kind of parameters nobody serves. */
export function describeUnknownParamKind(kind: ParamKind): string {
  return `failed to find resource referenced by paramKind: '${formatParamKind(kind)}'`;
}

/** Parameters under another name than their own, each made once, so that what is the same can be told. */
const renamedParams = new WeakMap<KubeObject, KubeObject>();

/** Lists of a host do not name the kind of each object. */
function showParam(object: KubeObject, { apiVersion = '', kind = '' }: ParamKind): JsonObject {
  if (object.apiVersion === apiVersion && object.kind === kind) return object as unknown as JsonObject;
  let shown = renamedParams.get(object);
  if (shown?.apiVersion !== apiVersion || shown.kind !== kind) {
    shown = { ...object, apiVersion, kind };
    renamedParams.set(object, shown);
  }
  return shown as unknown as JsonObject;
}

const noneFound = 'no params found for policy binding with `Deny` parameterNotFoundAction';

function compareTexts(left = '', right = ''): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function compareParams({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number {
  return compareTexts(a.namespace, b.namespace) || compareTexts(a.name, b.name);
}

type KnownSource = Extract<ParamSource, { fault?: undefined }>;

/** What selectors select, for as long as somebody has the source: bindings often select the same. */
const selections = new WeakMap<KnownSource, Map<string, readonly KubeObject[]>>();

function selectByLabels(
  selector: LabelSelector,
  source: KnownSource,
  namespace: string | undefined,
): readonly KubeObject[] {
  let known = selections.get(source);
  if (known === undefined) selections.set(source, (known = new Map()));
  const key = JSON.stringify([namespace, selector]);
  let selected = known.get(key);
  if (selected === undefined) {
    selected = source.list(namespace).filter(({ metadata }) => matchesLabelSelector(selector, metadata.labels));
    selected = selected.toSorted(compareParams);
    known.set(key, selected);
  }
  return selected;
}

function selectParams(
  { name = '', selector }: ParamRef,
  source: KnownSource,
  namespace: string | undefined,
): readonly KubeObject[] | undefined {
  if (name === '') return selector && selectByLabels(selector, source, namespace);
  const found = source.get(name, namespace);
  return found === undefined ? [] : [found];
}

/** The parameters of one binding for a request in `namespace` (empty: cluster-scoped). */
export function planParams(
  kind: ParamKind | undefined,
  ref: ParamRef | undefined,
  namespace: string,
  source: ParamSource | undefined,
): ParamPlan {
  if (kind === undefined || ref === undefined) return { params: [null] };
  if (source === undefined || source.fault !== undefined) {
    return { fault: source?.fault ?? describeUnknownParamKind(kind) };
  }
  const { namespace: named = '', parameterNotFoundAction } = ref;
  if (!source.namespaced && named !== '') {
    return { fault: 'paramRef.namespace must not be provided for a cluster-scoped `paramKind`' };
  }
  const within = source.namespaced ? named || namespace : undefined;
  if (within === '') {
    return { fault: 'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources' };
  }
  if ((ref.name ?? '') !== '' && ref.selector !== undefined) {
    return { fault: 'paramRef.name and paramRef.selector are mutually exclusive' };
  }
  const found = selectParams(ref, source, within);
  if (found === undefined) return { fault: 'one of name or selector must be provided' };
  if (found.length === 0 && parameterNotFoundAction === 'Deny') return { fault: noneFound };
  return { params: found.map((object) => showParam(object, kind)) };
}
