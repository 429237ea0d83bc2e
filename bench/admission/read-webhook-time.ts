/** Calls of one webhook as the API server counts them. */
export interface WebhookTime {
  readonly calls: number;
  readonly seconds: number;
}

const line = /^apiserver_admission_webhook_admission_duration_seconds_(sum|count)\{([^}]*)\} (\S+)$/gm;

/** From the API server's metrics text: how often it called each webhook, by name, and how long that took altogether. */
export function readWebhookTimes(metrics: string): Map<string, WebhookTime> {
  const times = new Map<string, WebhookTime>();
  for (const [, figure, labels = '', value] of metrics.matchAll(line)) {
    const name = /name="([^"]*)"/.exec(labels)?.[1] ?? '';
    const { calls, seconds } = times.get(name) ?? { calls: 0, seconds: 0 };
    times.set(
      name,
      figure === 'sum' ? { calls, seconds: seconds + Number(value) } : { calls: calls + Number(value), seconds },
    );
  }
  return times;
}

/** What was added between two readings, for webhooks that were called. */
export function subtractWebhookTimes(
  after: ReadonlyMap<string, WebhookTime>,
  before: ReadonlyMap<string, WebhookTime>,
): Map<string, WebhookTime> {
  const differences = new Map<string, WebhookTime>();
  for (const [name, { calls, seconds }] of after) {
    const earlier = before.get(name) ?? { calls: 0, seconds: 0 };
    if (calls > earlier.calls) {
      differences.set(name, { calls: calls - earlier.calls, seconds: seconds - earlier.seconds });
    }
  }
  return differences;
}
