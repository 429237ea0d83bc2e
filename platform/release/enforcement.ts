/** Whether decisions bind: `Enforce` refuses, `Audit` only reports what it would refuse, `Off` decides nothing. */
export type Enforcement = 'Enforce' | 'Audit' | 'Off';

/** The one setting of a release, as it is at the moment of the call. */
export interface EnforcementSource {
  current(): Enforcement;
}
