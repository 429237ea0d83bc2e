import type { QuotaRequest } from '../../kinds/core/resource-quota/usage-evaluator.ts';
import type { AdmissionAttributes } from '../admission-plugin.ts';

/** A request as quota sees it; `undefined` for those that leave no object behind. */
export function readQuotaRequest(attributes: AdmissionAttributes): QuotaRequest | undefined {
  const { operation, subresource, object, oldObject } = attributes;
  if (object === undefined || (operation !== 'CREATE' && operation !== 'UPDATE')) return undefined;
  return {
    operation,
    object,
    ...(subresource === undefined ? {} : { subresource }),
    ...(operation === 'UPDATE' && oldObject !== undefined ? { oldObject } : {}),
  };
}
