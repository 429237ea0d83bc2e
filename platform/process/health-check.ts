/** One named check of `/healthz`, `/livez` and `/readyz`. */
export interface HealthCheck {
  readonly name: string;
  /** Whether the check counts for readiness only, not for `/livez` and `/healthz`. */
  readonly readinessOnly?: boolean;
  /** Resolves to `undefined` when well, else to what is wrong; that is logged, and shown to who asks for this one check. */
  check(): Promise<string | undefined>;
}
