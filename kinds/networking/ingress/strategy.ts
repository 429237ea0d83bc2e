import { FieldPath } from '../../../core/errors/field-path.ts';
import { deepClone } from '../../../core/meta/deep.ts';
import { warnOfIp } from '../../../core/validation/ip.ts';
import type { KindStrategy } from '../../kind-definition.ts';
import { applyIngressDefaults } from './defaults.ts';
import type { Ingress } from './schema.ts';
import { classAnnotation, validateIngress, validateIngressStatus, validateIngressUpdate } from './validate.ts';

/** How an Ingress is written: the status belongs to controllers; the legacy annotation earns a warning. */
export const ingressStrategy: KindStrategy<Ingress> = {
  generationFields: ['spec'],
  repeatedChecks: ['change', 'object'],
  resetFields: [['status']],
  applyDefaults: applyIngressDefaults,
  prepareForCreate(ingress) {
    ingress.status = { loadBalancer: {} };
  },
  prepareForUpdate(ingress, old) {
    ingress.status = deepClone(old.status);
  },
  validateCreate: validateIngress,
  validateUpdate: validateIngressUpdate,
  warnOnCreate({ metadata, spec }) {
    if (metadata.annotations?.[classAnnotation] === undefined || spec.ingressClassName !== undefined) return [];
    return [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`];
  },
  status: {
    resetFields: [['spec']],
    prepareForUpdate(ingress, old) {
      ingress.spec = deepClone(old.spec);
    },
    validateUpdate: validateIngressStatus,
    warnOnUpdate({ status }) {
      const path = FieldPath.root('status', 'loadBalancer', 'ingress');
      return (status.loadBalancer.ingress ?? []).flatMap(({ ip = '' }, i) =>
        ip === '' ? [] : warnOfIp(ip, path.index(i)),
      );
    },
  },
};
