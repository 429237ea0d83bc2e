import type { JsonObject } from '../core/meta/json.ts';
import type { KubeObject } from '../core/meta/kube-object.ts';
import type { ResourceName } from '../core/meta/resource-name.ts';
import type { UserInfo } from '../core/meta/user-info.ts';

/** One request as admission sees it, in the manner of Kubernetes' admission attributes. */
export interface AdmissionAttributes {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly resource: ResourceName;
  readonly kind: string;
  /** Group and version of the kind where they are not those of the resource: `autoscaling/v1` of a Scale. */
  readonly kindApiVersion?: string;
  /** `status`, `scale`, `binding` …; absent for the object itself. */
  readonly subresource?: string;
  /** Absent for cluster-scoped objects. */
  readonly namespace?: string;
  /** Empty while a generateName is not yet final. */
  readonly name: string;
  /** Defaulted and prepared; mutating plugins change it in place. Absent for DELETE. */
  readonly object?: KubeObject;
  /** Absent for CREATE. Never changed. */
  readonly oldObject?: KubeObject;
  readonly dryRun: boolean;
  /** CreateOptions, UpdateOptions or DeleteOptions as the client gave them, with their kind; absent where nobody knows them. */
  readonly options?: JsonObject;
  /** How the client named resource and kind, where a host converted the request to what it asks about; absent: as they are above. */
  readonly requested?: AdmissionRequested;
  /** When the answer must be ready, in milliseconds since the epoch; absent: nobody says. */
  readonly deadlineMillis?: number;
  readonly user: UserInfo;
}

/** What a client asked for, before a host converted it. */
export interface AdmissionRequested {
  readonly resource: ResourceName;
  readonly subresource?: string;
  readonly kind: string;
  readonly kindApiVersion: string;
}

/** Where plugins leave what they say beside their decision, whether they refuse or not. */
export interface AdmissionReport {
  /** Adds a `Warning` header to the answer. */
  warn(text: string): void;
  /** Adds an annotation to the audit event; a key's first value is kept. */
  annotate(key: string, value: string): void;
}

/**
 * What a plugin's second step leaves behind until the write has ended. Exactly one of the two is called, once: `settle` as soon as the
 * object is stored, `undo` when the write fails afterwards, which gives back what was taken.
 */
export interface AdmissionReservation {
  settle(): void;
  undo(): Promise<void>;
}

/**
 * One link of the chain. Each gathers what it needs, asks a pure plan, and applies the decision. A refusal is thrown as a StatusError.
 * All mutating steps run before the first validating one; reserving comes last, when nothing but the store can refuse.
 */
export interface AdmissionPlugin {
  readonly name: string;
  handles(attributes: AdmissionAttributes): boolean;
  mutate?(attributes: AdmissionAttributes, report: AdmissionReport): Promise<void>;
  validate?(attributes: AdmissionAttributes, report: AdmissionReport): Promise<void>;
  /** Checks and charges; for a dry run it only checks, and records nothing. `undefined` when nothing was charged. */
  reserve?(attributes: AdmissionAttributes): Promise<AdmissionReservation | undefined>;
  /**
   * A last look, in the very moment in which a new object takes its place in the order of writes: for what must not change between the
   * other steps and the store. Embedded only, and not for a dry run.
   */
  confirm?(attributes: AdmissionAttributes): void;
}
