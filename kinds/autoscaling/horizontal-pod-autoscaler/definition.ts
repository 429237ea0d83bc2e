import { checkSubdomainName } from '../../../core/validation/names.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { ageColumn, nameColumn } from '../../printer-columns.ts';
import { defineWorkloadKind } from '../../workloads/define-workload-kind.ts';
import { formatOptional, shownColumn } from '../../workloads/format-cells.ts';
import { readNumber, readText } from '../../workloads/read-field.ts';
import { ageOf, nameOf } from '../../workloads/row-cells.ts';
import { applyAutoscalerDefaults } from './defaults.ts';
import { formatMetrics } from './format-metrics.ts';
import { validateAutoscaler, validateAutoscalerStatus } from './validate.ts';

/** HorizontalPodAutoscaler: as many pods as their load needs. */
export const horizontalPodAutoscalerKind: KindDefinition = defineWorkloadKind({
  kind: 'HorizontalPodAutoscaler',
  group: 'autoscaling',
  version: 'v2',
  plural: 'horizontalpodautoscalers',
  shortNames: ['hpa'],
  categories: ['all'],
  columns: [
    nameColumn,
    ...['Reference', 'Targets', 'MinPods', 'MaxPods', 'Replicas'].map((name) => shownColumn(name)),
    ageColumn,
  ],
  printRow: (object, now) => [
    nameOf(object),
    `${readText(object, 'spec', 'scaleTargetRef', 'kind')}/${readText(object, 'spec', 'scaleTargetRef', 'name')}`,
    formatMetrics(object),
    formatOptional('<unset>', object, 'spec', 'minReplicas'),
    readNumber(object, 'spec', 'maxReplicas') ?? 0,
    readNumber(object, 'status', 'currentReplicas') ?? 0,
    ageOf(object, now),
  ],
  status: { validate: validateAutoscalerStatus },
  rules: {
    validateName: checkSubdomainName,
    applyDefaults: applyAutoscalerDefaults,
    validate: (autoscaler) => validateAutoscaler(autoscaler),
    validateUpdate: validateAutoscaler,
  },
  description: 'As many pods as their load needs.',
});
