import type { Logger } from '../../platform/process/logger.ts';
import type { ParamIndexes } from './param-indexes.ts';
import type { PolicyIndex } from './policy-index.ts';
import type { PolicyServices } from './policy-services.ts';

/** Logs what deciding by policies has to tell of. */
export function logPolicyFaults(logger: Logger): Required<Pick<PolicyServices, 'onFailure' | 'onMessageFault'>> {
  return {
    onFailure: ({ metadata }, error) =>
      logger.error({ policy: metadata.name, err: error }, 'a policy could not be evaluated'),
    onMessageFault: ({ metadata }, fault) =>
      logger.info({ policy: metadata.name, fault }, 'a messageExpression gave no message'),
  };
}

/** Follows the parameters that the policies of an index use at this moment, and no others; logs when others cannot be let go. */
export function keepUsedParams(index: PolicyIndex, params: ParamIndexes, logger: Logger): void {
  params
    .keep(index.listParamKinds())
    .catch((error: unknown) => logger.warn({ err: error }, 'parameters of policies could not be let go'));
}
