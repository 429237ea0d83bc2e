import type { FlowRequest, FlowUser } from '../../kinds/flowcontrol/flow-schema/flow-request.ts';
import type { FlowSchema } from '../../kinds/flowcontrol/flow-schema/schema.ts';
import type { PriorityLevelConfiguration } from '../../kinds/flowcontrol/priority-level-configuration/schema.ts';

/** Sets how many seats levels want, by name, and lets time pass. */
export interface DemandStep {
  readonly seats: Readonly<Record<string, number>>;
  readonly millis: number;
}

/** One question to the oracle of flow control: about a configuration, unless it says otherwise. */
export interface FlowOracleRequest {
  /** The objects that Kubernetes brings. */
  readonly bootstrap?: true;
  /** What is written so that those are kept where `schemas` and `levels` are stored. */
  readonly keep?: true;
  /** Hands, each dealt by a hash in decimal. */
  readonly deals?: readonly { readonly hash: string; readonly queues: number; readonly handSize: number }[];
  readonly schemas?: readonly FlowSchema[];
  readonly levels?: readonly PriorityLevelConfiguration[];
  readonly totalSeats?: number;
  readonly requests?: readonly (FlowRequest & FlowUser)[];
  /** After each, the seats are divided anew. */
  readonly periods?: readonly (readonly DemandStep[])[];
}

/** A write of the one that keeps objects. */
export interface FlowOracleWrite {
  readonly verb: 'create' | 'update' | 'delete';
  readonly kind: 'flowschemas' | 'prioritylevelconfigurations';
  readonly name: string;
  /** Absent of a deletion. */
  readonly object?: FlowSchema | PriorityLevelConfiguration;
}

/** What Kubernetes makes of it; `failure`: the question itself was wrong. */
export interface FlowOracleAnswer {
  readonly failure?: string;
  readonly schemas?: readonly FlowSchema[];
  readonly levels?: readonly PriorityLevelConfiguration[];
  readonly writes?: readonly FlowOracleWrite[];
  readonly hands?: readonly (readonly number[])[];
  readonly classified?: readonly {
    readonly schema: string;
    readonly level: string;
    readonly distinguisher: string;
    /** In decimal; absent where there is one queue at most. */
    readonly hash?: string;
    readonly hand?: readonly number[];
  }[];
  /** By level. */
  readonly limits?: Readonly<
    Record<string, Readonly<Record<'nominal' | 'min' | 'max' | 'current' | 'maxSeats', number>>>
  >;
  readonly periods?: readonly {
    readonly fairFraction: number;
    readonly levels: Readonly<
      Record<string, Readonly<Record<'highWatermark' | 'average' | 'deviation' | 'smoothed' | 'current', number>>>
    >;
  }[];
  /** Status, reason and message of `Dangling`, by schema. */
  readonly dangling?: Readonly<Record<string, readonly [string, string, string]>>;
}
