/** The settings that there are. */
export const enforcements = ['Enforce', 'Audit', 'Off'] as const;

/** Whether decisions bind: `Enforce` refuses, `Audit` only reports what it would refuse, `Off` decides nothing. */
export type Enforcement = (typeof enforcements)[number];

/** The one setting of a release. */
export interface EnforcementSource {
  /** As it is at the moment of the call. */
  current(): Enforcement;
  /** Calls `listener` at every change. Returns a function that ends this. */
  subscribe(listener: (mode: Enforcement) => void): () => void;
}

/** Decisions always bind, where there is no release that could say otherwise. */
export const alwaysEnforced: EnforcementSource = { current: () => 'Enforce', subscribe: () => () => undefined };
