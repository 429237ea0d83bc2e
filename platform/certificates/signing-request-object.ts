import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { ResourceName } from '../../core/meta/resource-name.ts';

/** A condition of a request for a certificate. */
export interface SigningRequestCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastUpdateTime?: string;
  readonly lastTransitionTime?: string;
}

/** A CertificateSigningRequest as far as agents and their signer need it. */
export interface SigningRequestObject extends KubeObject {
  readonly spec: {
    /** Base64 of PEM. */
    readonly request: string;
    readonly signerName: string;
    readonly usages?: readonly string[];
    readonly expirationSeconds?: number;
    /** Who made it: the API server says so. */
    readonly username?: string;
    readonly groups?: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
  readonly status?: {
    /** Base64 of PEM; absent until it is issued. */
    readonly certificate?: string;
    readonly conditions?: readonly SigningRequestCondition[];
  };
}

export const certificateSigningRequests: ResourceName = {
  group: 'certificates.k8s.io',
  version: 'v1',
  resource: 'certificatesigningrequests',
};

/** The condition of a type, `Approved`, `Denied` or `Failed`, if the request has it. */
export function findCondition(request: SigningRequestObject, type: string): SigningRequestCondition | undefined {
  return request.status?.conditions?.find((condition) => condition.type === type);
}
