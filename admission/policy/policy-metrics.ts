import { Counter, Histogram } from 'prom-client';
import type { PolicyVerdict } from '../../kinds/admissionregistration/policy/conclude-policies.ts';
import type { Registry } from '../../platform/process/metrics.ts';

const labelNames = ['policy', 'policy_binding', 'error_type', 'enforcement_action'] as const;
const bucketsSeconds = [0.0000005, 0.001, 0.01, 0.1, 1];

/** What policies did: as Kubernetes counts it, and what they cost. */
export class PolicyMetrics {
  readonly #checks: Counter<(typeof labelNames)[number]>;
  readonly #durations: Histogram<(typeof labelNames)[number]>;
  readonly #costs: Counter<'policy'>;
  readonly #evaluations: Counter<'policy'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#checks = new Counter({
      name: 'apiserver_validating_admission_policy_check_total',
      help: 'Failures of expressions, and errors that were ignored, by policy, binding and what was done about them.',
      labelNames,
      registers,
    });
    this.#durations = new Histogram({
      name: 'apiserver_validating_admission_policy_check_duration_seconds',
      help: 'How long the expressions that failed took, in seconds.',
      labelNames,
      buckets: bucketsSeconds,
      registers,
    });
    this.#costs = new Counter({
      name: 'bailiwick_admission_policy_cost_total',
      help: 'What evaluating a policy cost, in units of CEL cost.',
      labelNames: ['policy'],
      registers,
    });
    this.#evaluations = new Counter({
      name: 'bailiwick_admission_policy_requests_total',
      help: 'Requests for which a policy was evaluated.',
      labelNames: ['policy'],
      registers,
    });
  }

  /** Counts what was decided about one request. */
  observe({ observations, costs }: PolicyVerdict): void {
    for (const { policy, binding, errorType, action, seconds } of observations) {
      const labels = { policy, policy_binding: binding, error_type: errorType, enforcement_action: action };
      this.#checks.inc(labels);
      this.#durations.observe(labels, seconds);
    }
    for (const [policy, cost] of costs) {
      this.#costs.inc({ policy }, cost);
      this.#evaluations.inc({ policy });
    }
  }
}
