import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

const metricName = 'bailiwick_certificate_expiration_timestamp_seconds';

/** Says in the registry's metrics when the certificate named `certificate` ends; `undefined` takes the figure away. */
export function setExpiration(registry: Registry, certificate: string, notAfterMillis: number | undefined): void {
  const known = registry.getSingleMetric(metricName) as Gauge<'certificate'> | undefined;
  const gauge =
    known ??
    new Gauge({
      name: metricName,
      help: 'When a certificate in use ends, in seconds since the epoch.',
      labelNames: ['certificate'],
      registers: [registry],
    });
  if (notAfterMillis === undefined) gauge.remove({ certificate });
  else gauge.set({ certificate }, notAfterMillis / 1000);
}
