/** One write of a scenario; `edit` changes a copy of the live object into the body. */
export interface ApplyStep {
  readonly verb: 'create' | 'update' | 'merge' | 'strategic' | 'json' | 'apply';
  readonly manager: string;
  readonly subresource?: string;
  readonly force?: boolean;
  /** Without apiVersion, kind and name, which the recorder adds for `create` and `apply`. */
  readonly body?: unknown;
  // oxlint-disable-next-line typescript/no-explicit-any -- edits reach into objects of any kind
  readonly edit?: (object: any) => void;
}

/** Writes to one object, one after the other. */
export interface ApplyScenario {
  readonly title: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly resource: string;
  readonly definition: string;
  readonly name: string;
  /** What the kind's strategies reset, by subresource (empty: the object itself). */
  readonly resetFields?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** Fields that admission sets on create: managedFields are made before it. */
  readonly admittedFields?: readonly (readonly string[])[];
  readonly steps: readonly ApplyStep[];
}

/** A step as an HTTP request. */
export interface StepRequest {
  readonly method: string;
  readonly path: string;
  readonly contentType: string;
  readonly body: unknown;
}

const requestForms: Readonly<Record<ApplyStep['verb'], readonly [method: string, contentType: string]>> = {
  create: ['POST', 'application/json'],
  update: ['PUT', 'application/json'],
  merge: ['PATCH', 'application/merge-patch+json'],
  strategic: ['PATCH', 'application/strategic-merge-patch+json'],
  json: ['PATCH', 'application/json-patch+json'],
  apply: ['PATCH', 'application/apply-patch+yaml'],
};

/** Path of the objects of a scenario's kind in a namespace. */
export function formatCollectionPath(scenario: ApplyScenario, namespace: string): string {
  const root = scenario.apiVersion.includes('/') ? `/apis/${scenario.apiVersion}` : `/api/${scenario.apiVersion}`;
  return `${root}/namespaces/${namespace}/${scenario.resource}`;
}

/** The request of a step, given the object as the server has it. */
export function makeStepRequest(
  scenario: ApplyScenario,
  step: ApplyStep,
  namespace: string,
  live: object | undefined,
): StepRequest {
  const [method, contentType] = requestForms[step.verb];
  const query = new URLSearchParams({ fieldManager: step.manager });
  if (step.force) query.set('force', 'true');
  const collection = formatCollectionPath(scenario, namespace);
  const path = step.verb === 'create' ? collection : `${collection}/${scenario.name}`;
  const subresource = step.subresource ? `/${step.subresource}` : '';
  return {
    method,
    path: `${path}${subresource}?${query.toString()}`,
    contentType,
    body: makeStepBody(scenario, step, live),
  };
}

/** The body that a step sends. */
function makeStepBody(scenario: ApplyScenario, step: ApplyStep, live: object | undefined): unknown {
  if (step.edit !== undefined) {
    // oxlint-disable-next-line typescript/no-explicit-any -- edits reach into objects of any kind
    const copy = structuredClone(live ?? {}) as any;
    step.edit(copy);
    delete copy.metadata?.resourceVersion;
    return copy;
  }
  if (step.verb !== 'create' && step.verb !== 'apply') return step.body;
  const { metadata, ...rest } = step.body as { metadata?: object };
  const { apiVersion, kind, name } = scenario;
  return { apiVersion, kind, metadata: { name, ...metadata }, ...rest };
}
