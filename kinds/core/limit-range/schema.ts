import type { z } from 'zod';
import { kindSchema } from '../../object-schemas.ts';
import { atomicList, filled, omitted, required, resourceList, struct, text } from '../../schema-vocabulary.ts';

const V1 = 'io.k8s.api.core.v1';

const itemSchema = struct(
  { definition: `${V1}.LimitRangeItem`, description: 'Bounds and defaults for everything of one type.' },
  {
    type: required(text(), 'Container, Pod, PersistentVolumeClaim, or a qualified name.', { goType: 'v1.LimitType' }),
    max: omitted(resourceList(), 'Greatest use by resource.'),
    min: omitted(resourceList(), 'Least use by resource.'),
    default: omitted(resourceList(), 'Limit by resource where none is given.'),
    defaultRequest: omitted(resourceList(), 'Request by resource where none is given.'),
    maxLimitRequestRatio: omitted(
      resourceList(),
      'Greatest ratio of limit to request by resource; both must then be given and not be zero.',
    ),
  },
);

const specSchema = struct(
  { definition: `${V1}.LimitRangeSpec`, description: 'The bounds to enforce.' },
  { limits: required(atomicList(itemSchema).nullable(), 'Bounds by type.') },
);

/** Schema of LimitRange. */
export const limitRangeSchema = kindSchema(`${V1}.LimitRange`, 'Bounds what each object in a namespace may use.', {
  spec: filled(specSchema, 'The bounds.'),
});

/** Bounds and defaults for the resources of single objects in a namespace ("LimitRange"). */
export type LimitRange = z.infer<typeof limitRangeSchema>;
/** The bounds of one type. */
export type LimitRangeItem = z.infer<typeof itemSchema>;
