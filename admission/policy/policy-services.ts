import type { PermissionAnswer, PermissionQuestion } from '../../core/cel/libraries/authorizer/permission.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { ResourceName } from '../../core/meta/resource-name.ts';
import type { StructuralSchema } from '../../core/schema/structural-schema.ts';
import type {
  EvaluationOutcome,
  PolicyEvaluationInput,
} from '../../kinds/admissionregistration/policy/evaluate-policy.ts';
import type { ParamSource } from '../../kinds/admissionregistration/policy/plan-params.ts';
import type { KindName, NamedKind } from '../../kinds/admissionregistration/policy/policy-request.ts';
import type {
  ParamKind,
  ValidatingAdmissionPolicy,
} from '../../kinds/admissionregistration/validating-admission-policy/schema.ts';
import type { Clock } from '../../platform/process/clock.ts';

/** How to decide. */
export interface DecideOptions {
  /** When the answer must be ready, in milliseconds since the epoch; absent: nobody says. */
  readonly deadlineMillis?: number;
  /** Whether results are kept of every expression. */
  readonly traces?: boolean;
}

/** What deciding by policies needs; how it is come by is different embedded and on a host. */
export interface PolicyServices {
  readonly domain: string;
  readonly clock: Clock;
  /** `undefined` when there is no such namespace. The same object until it changes. */
  findNamespace(name: string): Promise<KubeObject | undefined>;
  /** The objects of a kind of parameters. */
  findParams(kind: ParamKind): Promise<ParamSource>;
  /** Whether somebody may do something; a failure is part of the answer. */
  askPermission(question: PermissionQuestion): Promise<PermissionAnswer>;
  /** Other names under which the same objects are served in the same shape. */
  listEquivalents(resource: ResourceName, kind: KindName): readonly NamedKind[];
  /** Says how the lists of a kind are compared; `undefined` when nobody knows. */
  findSchema(kind: KindName): StructuralSchema | undefined;
  /** Evaluates where it holds up nobody; `undefined` when there is neither time nor room; absent: there is no such place. */
  evaluateElsewhere?(input: PolicyEvaluationInput, options: DecideOptions): Promise<EvaluationOutcome | undefined>;
  /**
   * Told of evaluations that failed by a fault of ours; the policy then does what its failurePolicy says. Absent: the whole decision fails.
   */
  onFailure?(policy: ValidatingAdmissionPolicy, error: unknown): void;
  /** Told of messages that are not what their messageExpression yielded. */
  onMessageFault?(policy: ValidatingAdmissionPolicy, fault: string): void;
}
