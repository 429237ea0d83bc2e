import type { Status } from '../../core/errors/status.ts';
import type { JsonObject } from '../../core/meta/json.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';

/** The one version of AdmissionReview that is spoken. */
export const reviewApiVersion = 'admission.k8s.io/v1';

/** `request` of an AdmissionReview, as far as it is used; objects are as the host encodes them. */
export interface ReviewRequest {
  readonly uid: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly subResource?: string;
  /** What the client asked for, which the host may have converted to the above; as the host gives them. */
  readonly requestResource?: ReviewRequest['resource'];
  readonly requestKind?: ReviewRequest['kind'];
  readonly requestSubResource?: string;
  readonly options?: JsonObject;
  readonly name?: string;
  readonly namespace?: string;
  readonly userInfo: {
    readonly username?: string;
    readonly uid?: string;
    readonly groups?: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
  /** What is connected with has no metadata. */
  readonly object?: KubeObject & JsonObject;
  readonly oldObject?: KubeObject & JsonObject;
  readonly dryRun?: boolean;
}

/** `response` of an AdmissionReview; `patch` is base64 of a JSON Patch, and goes with `patchType`. */
export interface ReviewResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: Status;
  readonly patchType?: 'JSONPatch';
  readonly patch?: string;
  readonly auditAnnotations?: Readonly<Record<string, string>>;
  readonly warnings?: readonly string[];
}
