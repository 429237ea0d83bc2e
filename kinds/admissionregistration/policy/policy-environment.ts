import {
  type CelEnvironment,
  type CelField,
  type CelObjectType,
  extendEnvironment,
} from '../../../core/cel/check/cel-environment.ts';
import { buildKubernetesEnvironment } from '../../../core/cel/kubernetes-environment.ts';
import { authorizerType, resourceCheckType } from '../../../core/cel/libraries/authorizer/authorizer-values.ts';
import {
  boolType,
  type CelType,
  dynType,
  intType,
  makeListType,
  makeMapType,
  makeObjectType,
  stringType,
  timestampType,
} from '../../../core/cel/types/cel-type.ts';

/** Composed variables with their types, in the order in which they become known. */
export class DeclaredVariables {
  readonly #fields = new Map<string, CelField>();
  /** What `variables` is. */
  readonly object: CelObjectType = { name: 'kubernetes.variables', fields: this.#fields };

  /** Makes a variable known to every environment that has these variables. */
  add(name: string, type: CelType): void {
    this.#fields.set(name, { type, property: name });
  }
}

/** What expressions of a policy may use. */
export interface PolicyEnvironmentOptions {
  /** `new` for expressions that are written now, `stored` for those that are in force. */
  readonly mode: 'new' | 'stored';
  readonly hasParams: boolean;
  /** False for messages. */
  readonly hasAuthorizer: boolean;
  /** The composed variables; more may be added later, which the environment then has. Absent: there is no `variables`. */
  readonly variables?: DeclaredVariables;
  /** What is known of the types of objects; absent: nothing. */
  readonly declared?: {
    readonly object?: CelType;
    readonly oldObject?: CelType;
    readonly params?: CelType;
    readonly objects?: readonly CelObjectType[];
  };
}

/** Type of `variables`. */
export const variablesType: CelType = makeObjectType('kubernetes.variables');

function declareObject(name: string, fields: Readonly<Record<string, CelType>>): CelObjectType {
  const entries = Object.entries(fields).map(([property, type]): [string, CelField] => [property, { type, property }]);
  return { name, fields: new Map(entries) };
}

const texts = makeListType(stringType);
const textMap = makeMapType(stringType, stringType);
const kindType = makeObjectType('kubernetes.GroupVersionKind');
const resourceType = makeObjectType('kubernetes.GroupVersionResource');

const requestObjects: readonly CelObjectType[] = [
  declareObject('kubernetes.GroupVersionKind', { group: stringType, version: stringType, kind: stringType }),
  declareObject('kubernetes.GroupVersionResource', { group: stringType, version: stringType, resource: stringType }),
  declareObject('kubernetes.UserInfo', {
    username: stringType,
    uid: stringType,
    groups: texts,
    extra: makeMapType(stringType, texts),
  }),
  declareObject('kubernetes.AdmissionRequest', {
    kind: kindType,
    resource: resourceType,
    subResource: stringType,
    requestKind: kindType,
    requestResource: resourceType,
    requestSubResource: stringType,
    name: stringType,
    namespace: stringType,
    operation: stringType,
    userInfo: makeObjectType('kubernetes.UserInfo'),
    dryRun: boolType,
    options: dynType,
  }),
];

const namespaceObjects: readonly CelObjectType[] = [
  declareObject('kubernetes.NamespaceSpec', { finalizers: texts }),
  declareObject('kubernetes.NamespaceCondition', {
    status: stringType,
    type: stringType,
    lastTransitionTime: timestampType,
    message: stringType,
    reason: stringType,
  }),
  declareObject('kubernetes.NamespaceStatus', {
    conditions: makeListType(makeObjectType('kubernetes.NamespaceCondition')),
    phase: stringType,
  }),
  declareObject('kubernetes.NamespaceMetadata', {
    name: stringType,
    generateName: stringType,
    namespace: stringType,
    labels: textMap,
    annotations: textMap,
    UID: stringType,
    creationTimestamp: timestampType,
    deletionGracePeriodSeconds: intType,
    deletionTimestamp: timestampType,
    generation: intType,
    resourceVersion: stringType,
    finalizers: texts,
  }),
  declareObject('kubernetes.Namespace', {
    metadata: makeObjectType('kubernetes.NamespaceMetadata'),
    spec: makeObjectType('kubernetes.NamespaceSpec'),
    status: makeObjectType('kubernetes.NamespaceStatus'),
  }),
];

const bases = new Map<string, CelEnvironment>();

/** Environments without composed variables and declared types are made once. */
function findBase({ mode, hasParams, hasAuthorizer }: PolicyEnvironmentOptions): CelEnvironment {
  const key = `${mode} ${hasParams} ${hasAuthorizer}`;
  const known = bases.get(key);
  if (known !== undefined) return known;
  const base = buildKubernetesEnvironment({
    mode,
    variables: {
      object: dynType,
      oldObject: dynType,
      namespaceObject: makeObjectType('kubernetes.Namespace'),
      request: makeObjectType('kubernetes.AdmissionRequest'),
      ...(hasParams ? { params: dynType } : {}),
      ...(hasAuthorizer ? { authorizer: authorizerType, 'authorizer.requestResource': resourceCheckType } : {}),
    },
    objects: [...requestObjects, ...namespaceObjects],
  });
  bases.set(key, base);
  return base;
}

/** The environment of a policy's expressions, as Kubernetes declares it. */
export function buildPolicyEnvironment(options: PolicyEnvironmentOptions): CelEnvironment {
  const base = findBase(options);
  const { variables, declared } = options;
  if (variables === undefined && declared === undefined) return base;
  const { objects = [], ...types } = declared ?? {};
  const known = Object.entries(types).filter(([name]) => name !== 'params' || options.hasParams);
  return extendEnvironment(base, {
    variables: {
      ...(Object.fromEntries(known) as Record<string, CelType>),
      ...(variables === undefined ? {} : { variables: variablesType }),
    },
    objects: [...objects, ...(variables === undefined ? [] : [variables.object])],
  });
}
