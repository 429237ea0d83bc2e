import { deepClone } from '../../../core/meta/deep.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { formatTime } from '../../../core/time/time.ts';
import { checkPathSegmentName } from '../../../core/validation/names.ts';
import type { StrategyContext } from '../../kind-definition.ts';
import type { StatusRules, WorkloadRules } from '../../workloads/define-workload-kind.ts';
import { ensureObject, readItems, readObject, readText } from '../../workloads/read-field.ts';
import { validateApproval, validateRequest, validateStatus } from './validate-request.ts';

/** Whoever approves must be able to rely on who asked, so nothing that the client says of it counts. */
function recordRequester(request: KubeObject, { user }: StrategyContext): void {
  const spec = ensureObject(request, 'spec');
  for (const key of ['username', 'uid', 'groups', 'extra']) delete spec[key];
  if (user === undefined) return;
  spec['username'] = user.username;
  if (user.uid) spec['uid'] = user.uid;
  if (user.groups.length > 0) spec['groups'] = [...user.groups];
  if (Object.keys(user.extra ?? {}).length > 0) Object.assign(spec, { extra: deepClone(user.extra) });
}

/** How signing requests are written: the request itself never changes. */
export const certificateSigningRequestRules: WorkloadRules = {
  resetFields: [['spec']],
  prepareForCreate: recordRequester,
  validateName: checkPathSegmentName,
  prepareForUpdate(request, old) {
    Object.assign(request, { spec: deepClone(readObject(old, 'spec')) });
  },
  validate: validateRequest,
  validateUpdate: () => [],
};

/** Dates conditions that say no time: a transition is as old as the condition of its type and status. */
function dateConditions(request: KubeObject, old: KubeObject, now: string): void {
  for (const condition of readItems(request, 'status', 'conditions')) {
    const before = readItems(old, 'status', 'conditions').find(
      ({ type, status, lastTransitionTime }) =>
        type === condition['type'] && status === condition['status'] && Boolean(lastTransitionTime),
    );
    condition['lastUpdateTime'] ||= now;
    condition['lastTransitionTime'] ||= readText(before, 'lastTransitionTime') || now;
  }
}

/** Conditions of a type stay as they are, unless one was added or removed: that is for validation to refuse. */
function keepConditions(request: KubeObject, old: KubeObject, type: string): void {
  const before = readItems(old, 'status', 'conditions').filter((condition) => condition['type'] === type);
  const now = readItems(request, 'status', 'conditions').filter((condition) => condition['type'] === type);
  if (before.length !== now.length) return;
  for (const [index, condition] of now.entries()) {
    for (const key of Object.keys(condition)) delete condition[key];
    Object.assign(condition, deepClone(before[index]));
  }
}

/** How the status of signing requests is written: everything but the decision. */
export const certificateSigningRequestStatusRules: StatusRules = {
  resetFields: [['status', 'conditions']],
  prepare(request, old, { nowMillis }) {
    keepConditions(request, old, 'Approved');
    keepConditions(request, old, 'Denied');
    dateConditions(request, old, formatTime(nowMillis));
  },
  validate: validateStatus,
};

/** How a decision is written: conditions, and nothing else of the status. */
export const approvalRules: StatusRules = {
  resetFields: [['status', 'certificate']],
  prepare(request, old, { nowMillis }) {
    dateConditions(request, old, formatTime(nowMillis));
    const conditions = readObject(request, 'status')?.['conditions'];
    const { conditions: _before, ...kept } = readObject(old, 'status') ?? {};
    Object.assign(request, { status: { ...deepClone(kept), ...(conditions === undefined ? {} : { conditions }) } });
  },
  validate: validateApproval,
};
