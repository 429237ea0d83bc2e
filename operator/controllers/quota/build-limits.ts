import type { AdmissionPlugin } from '../../../admission/admission-plugin.ts';
import { LimitRangePlugin } from '../../../admission/limits/limit-range-plugin.ts';
import { readLimitRanges } from '../../../admission/limits/limit-range-source.ts';
import { QuotaLedger } from '../../../admission/quota/quota-ledger.ts';
import { ResourceQuotaPlugin } from '../../../admission/quota/resource-quota-plugin.ts';
import { UsageEvaluators } from '../../../admission/quota/usage-evaluators.ts';
import type { KindRegistry } from '../../../kinds/registry.ts';
import type { ControllerOptions } from '../controller-parts.ts';
import { QuotaController } from './quota-controller.ts';

/** What the enforcement of limits needs. */
export interface LimitsOptions extends ControllerOptions {
  /** Knows every kind that is served; when these change, so does what is counted. */
  readonly registry: Pick<KindRegistry, 'kinds' | 'subscribe'>;
  readonly resyncMillis?: number;
}

/** The enforcement of limit ranges and quotas: plugins for the admission chain, in order, and the controller that belongs to them. */
export interface Limits {
  readonly plugins: readonly AdmissionPlugin[];
  readonly quotaController: QuotaController;
  /** How each resource uses quota. */
  readonly evaluators: UsageEvaluators;
}

/** Puts together what must share one ledger. The plugins work before the controller is started. */
export function buildLimits(options: LimitsOptions): Limits {
  const { client, clock, logger, registry } = options;
  const services = { client, clock, ledger: new QuotaLedger(), evaluators: new UsageEvaluators(registry.kinds) };
  const quotaPlugin = new ResourceQuotaPlugin({
    ...services,
    onFailure: (error) => logger.warn({ err: error }, 'a charge could not be taken back, the next count repairs it'),
  });
  const quotaController = new QuotaController({
    ...services,
    logger,
    ...(options.resyncMillis === undefined ? {} : { resyncMillis: options.resyncMillis }),
  });
  registry.subscribe(() => {
    services.evaluators.replaceKinds(registry.kinds);
    quotaController.renewKinds();
  });
  return {
    plugins: [new LimitRangePlugin({ ranges: readLimitRanges(client) }), quotaPlugin],
    evaluators: services.evaluators,
    quotaController,
  };
}
