import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeInvalid, makeRequired } from '../../../core/errors/make-field-error.ts';
import { deepClone } from '../../../core/meta/deep.ts';
import type { KubeObject } from '../../../core/meta/kube-object.ts';
import { formatTime } from '../../../core/time/time.ts';
import { checkPathSegmentName } from '../../../core/validation/names.ts';
import type { StrategyContext } from '../../kind-definition.ts';
import type { StatusRules, WorkloadRules } from '../../workloads/define-workload-kind.ts';
import { ensureObject, readItems, readList, readNumber, readObject, readText } from '../../workloads/read-field.ts';

const path = FieldPath.root('spec');
const shortestSeconds = 600;
/** Who decides: only `/approval` adds or removes these conditions. */
const decisions = new Set(['Approved', 'Denied']);

function validate(request: KubeObject): FieldError[] {
  const errors: FieldError[] = [];
  const pem = Buffer.from(readText(request, 'spec', 'request'), 'base64').toString();
  if (!/-----BEGIN (NEW )?CERTIFICATE REQUEST-----/.test(pem)) {
    const detail = 'PEM block type must be CERTIFICATE REQUEST';
    errors.push(makeInvalid(path.child('request'), readText(request, 'spec', 'request'), detail));
  }
  if (readList(request, 'spec', 'usages').length === 0) errors.push(makeRequired(path.child('usages'), ''));
  const seconds = readNumber(request, 'spec', 'expirationSeconds');
  if (seconds !== undefined && seconds < shortestSeconds) {
    const detail = `may not specify a duration less than ${shortestSeconds} seconds (10 minutes)`;
    errors.push(makeInvalid(path.child('expirationSeconds'), seconds, detail));
  }
  const signer = readText(request, 'spec', 'signerName');
  if (signer === '') errors.push(makeRequired(path.child('signerName'), ''));
  else if (!isQualifiedSigner(signer)) {
    const detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    errors.push(makeInvalid(path.child('signerName'), signer, detail));
  }
  return errors;
}

/** Whether a signer's name is a domain with a dot inside it, a slash, and a path of one line that begins with no slash. */
function isQualifiedSigner(signer: string): boolean {
  const slash = signer.indexOf('/');
  if (slash < 0) return false;
  const domain = signer.slice(0, slash);
  const path = signer.slice(slash + 1);
  return (
    domain.slice(1, -1).includes('.') &&
    path !== '' &&
    !path.startsWith('/') &&
    !/[\n\r\u2028\u2029]/.test(path.slice(1))
  );
}

function validateConditions(request: KubeObject): FieldError[] {
  return readItems(request, 'status', 'conditions').flatMap((condition, index) => {
    const own = FieldPath.root('status', 'conditions').index(index);
    return readText(condition, 'type') === '' ? [makeRequired(own.child('type'), '')] : [];
  });
}

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
  validate,
};

/** Dates conditions that say no time: a transition is as old as the condition of its type and status. */
function dateConditions(request: KubeObject, old: KubeObject, now: string): void {
  for (const condition of readItems(request, 'status', 'conditions')) {
    const before = readItems(old, 'status', 'conditions').find(
      ({ type, status }) => type === condition['type'] && status === condition['status'],
    );
    condition['lastUpdateTime'] ||= now;
    condition['lastTransitionTime'] ||= readText(before, 'lastTransitionTime') || now;
  }
}

/** Keeps the decisions of the old status, and everything else of the new one, or the other way round. */
function mergeConditions(request: KubeObject, old: KubeObject, fromNew: (type: string) => boolean): void {
  const status = ensureObject(request, 'status');
  const conditions = [
    ...readItems(old, 'status', 'conditions').filter((condition) => !fromNew(readText(condition, 'type'))),
    ...readItems(status, 'conditions').filter((condition) => fromNew(readText(condition, 'type'))),
  ];
  if (conditions.length > 0) status['conditions'] = deepClone(conditions);
  else delete status['conditions'];
}

/** How the status of signing requests is written: everything but the decision. */
export const certificateSigningRequestStatusRules: StatusRules = {
  resetFields: [['status', 'conditions']],
  prepare(request, old, { nowMillis }) {
    mergeConditions(request, old, (type) => !decisions.has(type));
    dateConditions(request, old, formatTime(nowMillis));
  },
  validate: validateConditions,
};

/** How a decision is written: nothing but the decision. */
export const approvalRules: StatusRules = {
  resetFields: [['status', 'certificate']],
  prepare(request, old, { nowMillis }) {
    const certificate = readObject(old, 'status')?.['certificate'];
    const status = ensureObject(request, 'status');
    if (certificate === undefined) delete status['certificate'];
    else status['certificate'] = certificate;
    mergeConditions(request, old, (type) => decisions.has(type));
    dateConditions(request, old, formatTime(nowMillis));
  },
  validate: validateConditions,
};
