import type { StructuralSchema } from '../../../core/schema/structural-schema.ts';
import { deriveSchema } from '../../../kinds/derive-schema.ts';
import { objectMetaSchema } from '../../../kinds/object-schemas.ts';

/** Group and version of the Scale that every scalable kind shows. */
export const SCALE_API_VERSION = 'autoscaling/v1';

/** Structure of a Scale. */
export const SCALE_SCHEMA: StructuralSchema = {
  type: 'object',
  definition: 'io.k8s.api.autoscaling.v1.Scale',
  goType: 'Scale',
  description: 'Scale represents a scaling request for a resource.',
  properties: {
    apiVersion: { type: 'string', zero: 'omit' },
    kind: { type: 'string', zero: 'omit' },
    metadata: deriveSchema(objectMetaSchema),
    spec: {
      type: 'object',
      definition: 'io.k8s.api.autoscaling.v1.ScaleSpec',
      goType: 'v1.ScaleSpec',
      description: 'ScaleSpec describes the attributes of a scale subresource.',
      zero: 'omit',
      properties: {
        replicas: {
          type: 'integer',
          format: 'int32',
          zero: 'omit',
          description: 'replicas is the desired number of instances for the scaled object.',
        },
      },
    },
    status: {
      type: 'object',
      definition: 'io.k8s.api.autoscaling.v1.ScaleStatus',
      goType: 'v1.ScaleStatus',
      description: 'ScaleStatus represents the current status of a scale subresource.',
      zero: 'omit',
      properties: {
        replicas: {
          type: 'integer',
          format: 'int32',
          zero: 'fill',
          description: 'replicas is the actual number of observed instances of the scaled object.',
        },
        selector: {
          type: 'string',
          zero: 'omit',
          description: 'selector is the label query over pods that should match the replicas count.',
        },
      },
    },
  },
};
