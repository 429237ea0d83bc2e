import type { AdmissionAttributes, AdmissionPlugin, AdmissionReport } from '../../admission/admission-plugin.ts';
import { encodeJson } from '../../core/decode/encode-json.ts';
import { type Status, StatusError } from '../../core/errors/status.ts';
import { deepClone } from '../../core/meta/deep.ts';
import type { JsonValue } from '../../core/meta/json.ts';
import { type JsonPatchOperation, makeJsonPatch } from '../../core/patch/make-json-patch.ts';
import type { KindRegistry } from '../../kinds/registry.ts';
import type { EnforcementSource } from '../../platform/release/enforcement.ts';
import type { ReviewRequest, ReviewResponse } from './admission-review.ts';
import { makeHostAttributes, makeReviewAttributes } from './make-review-attributes.ts';
import { nameAnnotations } from './name-annotations.ts';

/** One path that the host calls, and what decides there. */
export interface ReviewRoute {
  /** `/validate/limits`. */
  readonly path: string;
  readonly type: 'mutating' | 'validating';
  readonly plugins: readonly AdmissionPlugin[];
  /** Fill in what a mutating webhook of the release would have, were it not for the audit; so the rest is judged as if it had. */
  readonly auditPreparation?: readonly AdmissionPlugin[];
  /** Whether changes are made in an audit too, since they bind nobody; absent means no. */
  readonly changesInAudit?: boolean;
  /** Whether everything is judged under the names that it has at the host; absent: own kinds have those of the specification. */
  readonly isVerbatim?: boolean;
  /** Told of the audit annotations of each review that has some, before they get the names that a host takes. */
  readonly recordAnnotations?: (request: ReviewRequest, decision: AnnotatedDecision) => void;
}

/** What a review was decided to, and the audit annotations that go with it. */
export interface AnnotatedDecision {
  readonly annotations: ReadonlyMap<string, string>;
  /** `undefined`: it is let through. */
  readonly refusal: Status | undefined;
}

/** What deciding needs beside the route. */
export interface ReviewServices {
  readonly registry: KindRegistry;
  readonly enforcement: EnforcementSource;
}

/** How a review ended: `audited` would have been refused, `off` was not looked at. */
export type ReviewOutcome = 'allowed' | 'changed' | 'refused' | 'audited' | 'off';

/** The answer to a review; `refusal` is why it is refused, or would be. */
export interface ReviewDecision {
  readonly response: ReviewResponse;
  readonly outcome: ReviewOutcome;
  readonly refusal?: Status;
}

async function mutate(
  plugins: readonly AdmissionPlugin[],
  attributes: AdmissionAttributes,
  report: AdmissionReport,
): Promise<void> {
  for (const plugin of plugins) {
    if (plugin.mutate !== undefined && plugin.handles(attributes)) await plugin.mutate(attributes, report);
  }
}

async function validate(
  plugins: readonly AdmissionPlugin[],
  attributes: AdmissionAttributes,
  report: AdmissionReport,
): Promise<void> {
  for (const plugin of plugins) {
    if (plugin.validate !== undefined && plugin.handles(attributes)) await plugin.validate(attributes, report);
  }
}

function copyObject(attributes: AdmissionAttributes): AdmissionAttributes {
  return attributes.object === undefined ? attributes : { ...attributes, object: deepClone(attributes.object) };
}

async function findChanges(
  route: ReviewRoute,
  attributes: AdmissionAttributes,
  report: AdmissionReport,
): Promise<JsonPatchOperation[]> {
  if (attributes.object === undefined) return [];
  const changed = copyObject(attributes);
  await mutate(route.plugins, changed, report);
  return makeJsonPatch(attributes.object as unknown as JsonValue, changed.object as unknown as JsonValue);
}

/** What of a text a Warning header can hold. */
function cleanWarning(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/[\u0000-\u001f\u007f]+/g, ' ');
}

/**
 * Decides about one call of the host. A refusal is an answer; a throw is a failure of ours, about which the host's failure policy decides.
 * In an audit nothing is refused, and limits change nothing.
 */
export async function decideReview(
  route: ReviewRoute,
  request: ReviewRequest,
  services: ReviewServices,
  deadlineMillis?: number,
): Promise<ReviewDecision> {
  const { uid } = request;
  const mode = services.enforcement.current();
  if (mode === 'Off') return { response: { uid, allowed: true }, outcome: 'off' };
  const asked =
    route.isVerbatim === true ? makeHostAttributes(request) : makeReviewAttributes(services.registry, request);
  if (asked === undefined) return { response: { uid, allowed: true }, outcome: 'allowed' };
  const attributes = deadlineMillis === undefined ? asked : { ...asked, deadlineMillis };
  const warnings: string[] = [];
  const listWarnings = () => (warnings.length === 0 ? {} : { warnings });
  const annotations = new Map<string, string>();
  const report: AdmissionReport = {
    warn: (text) => void warnings.push(cleanWarning(text)),
    annotate: (key, value) => {
      if (!annotations.has(key)) annotations.set(key, value);
    },
  };
  const finish = (refusal: Status | undefined): Record<string, string> => {
    if (annotations.size > 0) route.recordAnnotations?.(request, { annotations, refusal });
    const named = nameAnnotations(annotations, services.registry.domain);
    // Several entries may have one name, and with it their annotations, so that this would be told twice.
    return route.isVerbatim === true ? named : { reviewUid: uid, ...named };
  };
  try {
    if (route.type === 'mutating') {
      if (mode === 'Audit' && route.changesInAudit !== true) {
        return { response: { uid, allowed: true }, outcome: 'allowed' };
      }
      const changes = await findChanges(route, attributes, report);
      if (changes.length === 0) return { response: { uid, allowed: true, ...listWarnings() }, outcome: 'allowed' };
      const patch = Buffer.from(encodeJson(changes)).toString('base64');
      const auditAnnotations = finish(undefined);
      return {
        response: { uid, allowed: true, patchType: 'JSONPatch', patch, auditAnnotations, ...listWarnings() },
        outcome: 'changed',
      };
    }
    let judged = attributes;
    if (mode === 'Audit' && route.auditPreparation !== undefined) {
      judged = copyObject(attributes);
      await mutate(route.auditPreparation, judged, { warn: () => undefined, annotate: () => undefined });
    }
    await validate(route.plugins, judged, report);
    const auditAnnotations = finish(undefined);
    return { response: { uid, allowed: true, auditAnnotations, ...listWarnings() }, outcome: 'allowed' };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const { status } = error;
    const auditAnnotations = finish(mode === 'Enforce' ? status : undefined);
    if (mode === 'Enforce') {
      const response = { uid, allowed: false, status, auditAnnotations, ...listWarnings() };
      return { response, outcome: 'refused', refusal: status };
    }
    report.warn(`would be refused: ${error.message}`);
    return {
      response: {
        uid,
        allowed: true,
        auditAnnotations: { ...auditAnnotations, 'would-be-refused': error.message },
        ...listWarnings(),
      },
      outcome: 'audited',
      refusal: status,
    };
  }
}
