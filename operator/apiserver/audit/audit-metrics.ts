import { Counter, type Registry } from 'prom-client';

/** What happens to the audit log, under the names that Kubernetes has for it. */
export class AuditMetrics {
  readonly events: Counter;
  readonly lost: Counter<'plugin'>;
  readonly levels: Counter<'level'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.events = new Counter({
      name: 'apiserver_audit_event_total',
      help: 'Counter of audit events generated and sent to the audit backend.',
      registers,
    });
    this.lost = new Counter({
      name: 'apiserver_audit_error_total',
      help: 'Counter of audit events that failed to be audited properly. Plugin identifies the plugin affected by the error.',
      labelNames: ['plugin'],
      registers,
    });
    this.levels = new Counter({
      name: 'apiserver_audit_level_total',
      help: 'Counter of policy levels for audit events (1 per request).',
      labelNames: ['level'],
      registers,
    });
  }
}
