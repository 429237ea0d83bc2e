import type { KindDefinition } from '../kind-definition.ts';
import { nameColumn } from '../printer-columns.ts';
import { defineWorkloadKind, type WorkloadKindLine } from './define-workload-kind.ts';
import { nameOf } from './row-cells.ts';

type ReviewLine = Pick<WorkloadKindLine, 'kind' | 'group' | 'plural' | 'clusterScoped' | 'description'>;

const reviews: readonly ReviewLine[] = [
  { kind: 'Binding', group: '', plural: 'bindings', description: 'Puts a pod on a node.' },
  {
    kind: 'SelfSubjectReview',
    group: 'authentication.k8s.io',
    plural: 'selfsubjectreviews',
    clusterScoped: true,
    description: 'Who am I?',
  },
  {
    kind: 'TokenReview',
    group: 'authentication.k8s.io',
    plural: 'tokenreviews',
    clusterScoped: true,
    description: 'Whose token is this?',
  },
  {
    kind: 'LocalSubjectAccessReview',
    group: 'authorization.k8s.io',
    plural: 'localsubjectaccessreviews',
    description: 'May this subject do that in this namespace?',
  },
  {
    kind: 'SelfSubjectAccessReview',
    group: 'authorization.k8s.io',
    plural: 'selfsubjectaccessreviews',
    clusterScoped: true,
    description: 'May I do that?',
  },
  {
    kind: 'SelfSubjectRulesReview',
    group: 'authorization.k8s.io',
    plural: 'selfsubjectrulesreviews',
    clusterScoped: true,
    description: 'What may I do?',
  },
  {
    kind: 'SubjectAccessReview',
    group: 'authorization.k8s.io',
    plural: 'subjectaccessreviews',
    clusterScoped: true,
    description: 'May this subject do that?',
  },
];

/** The kinds that are asked and answered, and never stored. */
export const reviewKinds: readonly KindDefinition[] = reviews.map((line) =>
  defineWorkloadKind({
    ...line,
    verbs: ['create'],
    columns: [nameColumn],
    printRow: (object) => [nameOf(object)],
    // What a review lacks is for whoever answers it to say.
    rules: { validate: () => [] },
  }),
);
