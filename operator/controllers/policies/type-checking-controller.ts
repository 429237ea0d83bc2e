import type { DeclaredType } from '../../../core/cel/types/declared-shape.ts';
import { deepEqual } from '../../../core/meta/deep.ts';
import { parseApiVersion, type ResourceName } from '../../../core/meta/resource-name.ts';
import type { KindName } from '../../../kinds/admissionregistration/policy/policy-request.ts';
import {
  listCheckedKinds,
  listNamedResources,
} from '../../../kinds/admissionregistration/validating-admission-policy/list-checked-kinds.ts';
import {
  planTypeChecking,
  type ExpressionWarning,
  type KindWarnings,
} from '../../../kinds/admissionregistration/validating-admission-policy/plan-type-checking.ts';
import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicySpec,
} from '../../../kinds/admissionregistration/validating-admission-policy/schema.ts';
import type { WorkQueue } from '../../../platform/kube/work-queue.ts';
import type { CollectionIndex } from '../../../platform/resources/collection-index.ts';
import { createControllerQueue, createIndex, type Controller, type ControllerOptions } from '../controller-parts.ts';
import { checkKindAside } from './check-kind-aside.ts';
import { formatGroupVersion, type SchemaSnapshot, type SchemaSource } from './schema-source.ts';

/** What the controller needs. */
export interface TypeCheckingOptions extends ControllerOptions {
  readonly domain: string;
  readonly schemas: SchemaSource;
}

/** Checks policies against the types of the kinds they match, and writes what is wrong to their status; again when a schema changes. */
export class TypeCheckingController implements Controller {
  readonly #options: TypeCheckingOptions;
  readonly #resource: ResourceName;
  readonly #policies: CollectionIndex<ValidatingAdmissionPolicy>;
  readonly #queue: WorkQueue;
  /** What each policy was last checked as: its generation and the schemas of then. */
  readonly #checked = new Map<string, string>();
  #unsubscribe: (() => void) | undefined;

  constructor(options: TypeCheckingOptions) {
    this.#options = options;
    this.#resource = {
      group: `admissionregistration.${options.domain}`,
      version: 'v1',
      resource: 'validatingadmissionpolicies',
    };
    this.#policies = createIndex<ValidatingAdmissionPolicy>(options, this.#resource);
    this.#queue = createControllerQueue(options, 'type checking', (name) => this.#check(name));
  }

  async start(): Promise<void> {
    this.#policies.subscribe(({ key, object }) => {
      if (object === undefined) this.#checked.delete(key);
      else this.#queue.add(key);
    });
    this.#unsubscribe = this.#options.schemas.subscribe?.(() => {
      for (const { metadata } of this.#policies.list()) this.#queue.add(metadata.name ?? '');
    });
    await this.#policies.start();
  }

  async close(): Promise<void> {
    this.#unsubscribe?.();
    await this.#policies.close();
    await this.#queue.close();
  }

  /** Resolves when every policy that is known to need a check has been checked. */
  async waitUntilIdle(): Promise<void> {
    await this.#queue.waitUntilIdle();
  }

  async #check(name: string): Promise<void> {
    const policy = this.#policies.get(name);
    if (policy === undefined || policy.metadata.deletionTimestamp !== undefined) return;
    const { generation = 0, uid = '' } = policy.metadata;
    const snapshot = await this.#options.schemas.read(listGroupVersions(policy.spec));
    const state = `${uid} ${generation} ${snapshot.fingerprint}`;
    if (this.#checked.get(name) === state) return;
    const expressionWarnings = await findWarnings(policy.spec, snapshot);
    await this.#write(policy, generation, expressionWarnings);
    this.#checked.set(name, state);
  }

  async #write(
    { metadata, status }: ValidatingAdmissionPolicy,
    observedGeneration: number,
    expressionWarnings: readonly ExpressionWarning[],
  ): Promise<void> {
    const known = status?.typeChecking;
    const isSame = known !== undefined && deepEqual(known.expressionWarnings ?? [], expressionWarnings);
    if (isSame && status?.observedGeneration === observedGeneration) return;
    const typeChecking = { expressionWarnings: expressionWarnings.length === 0 ? null : expressionWarnings };
    await this.#options.client.patch(
      { resource: this.#resource, name: metadata.name ?? '' },
      'application/merge-patch+json',
      {
        metadata: { resourceVersion: metadata.resourceVersion ?? null, uid: metadata.uid ?? null },
        status: { observedGeneration, typeChecking: typeChecking as never },
      },
      {},
      'status',
    );
  }
}

function findParamKind({ paramKind }: ValidatingAdmissionPolicySpec): KindName | undefined {
  const parsed = parseApiVersion(paramKind?.apiVersion ?? '');
  return parsed === undefined || paramKind?.kind === undefined ? undefined : { ...parsed, kind: paramKind.kind };
}

function listGroupVersions(spec: ValidatingAdmissionPolicySpec): readonly string[] {
  const params = findParamKind(spec);
  const named = [...listNamedResources(spec).flat(), ...(params === undefined ? [] : [params])];
  return [...new Set(named.map(formatGroupVersion))].toSorted();
}

async function findWarnings(
  spec: ValidatingAdmissionPolicySpec,
  snapshot: SchemaSnapshot,
): Promise<readonly ExpressionWarning[]> {
  const paramKind = findParamKind(spec);
  const found: KindWarnings[] = [];
  for (const name of listCheckedKinds(spec, (resource) => snapshot.findKind(resource))) {
    const type = snapshot.findType(name, name.kind);
    if (type === undefined) continue;
    found.push(await checkKindAside(spec, { name, type }, findParams(snapshot, paramKind, name)));
  }
  return planTypeChecking(spec, found);
}

/** The type of params; where the kind has the same name as that of the objects, the type has another. */
function findParams(
  snapshot: SchemaSnapshot,
  params: KindName | undefined,
  object: KindName,
): DeclaredType | undefined {
  if (params === undefined) return undefined;
  const isNameTaken = params.kind === object.kind && formatGroupVersion(params) !== formatGroupVersion(object);
  return snapshot.findType(params, isNameTaken ? `${params.kind}2` : params.kind);
}
