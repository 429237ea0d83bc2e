import { deepEqual } from '../../../core/meta/deep.ts';
import { isConditionTrue, withCondition, type DefinitionStatus } from './conditions.ts';
import type { CustomResourceDefinition } from './custom-resource-definition.ts';

/** Holds a deleted definition until its objects are gone. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

/** How far the removal of a definition's objects has come; `failure` is what went wrong, as a text. */
export type CleanupStage =
  | { readonly stage: 'pending' | 'inProgress' | 'completed' }
  | { readonly stage: 'listFailed' | 'deletionFailed' | 'remaining'; readonly failure: string };

function describeStage(stage: CleanupStage): { status: 'True' | 'False'; reason: string; message: string } {
  switch (stage.stage) {
    case 'pending': {
      const message = 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon';
      return { status: 'True', reason: 'InstanceDeletionPending', message };
    }
    case 'inProgress':
      return {
        status: 'True',
        reason: 'InstanceDeletionInProgress',
        message: 'CustomResource deletion is in progress',
      };
    case 'listFailed':
      return {
        status: 'True',
        reason: 'InstanceDeletionFailed',
        message: `could not list instances: ${stage.failure}`,
      };
    case 'deletionFailed':
      return {
        status: 'True',
        reason: 'InstanceDeletionFailed',
        message: `could not issue all deletes: ${stage.failure}`,
      };
    case 'remaining': {
      const message = `could not confirm zero CustomResources remaining: ${stage.failure}`;
      return { status: 'True', reason: 'InstanceDeletionCheck', message };
    }
    default:
      return { status: 'False', reason: 'InstanceDeletionCompleted', message: 'removed all instances' };
  }
}

/** The status of a definition that is being deleted, with the condition how far that has come. */
export function planTermination(
  definition: CustomResourceDefinition,
  stage: CleanupStage,
  nowMillis: number,
): DefinitionStatus {
  return withCondition(definition.status ?? {}, { type: 'Terminating', ...describeStage(stage) }, nowMillis);
}

/** What a controller does next about a definition: remove its objects, or let it go, with the status that says why. */
export type CleanupPlan = { readonly step: 'removeObjects' } | { readonly step: 'release'; status: DefinitionStatus };

/** Whether nothing but the condition that it is being removed sets one state of a definition apart from a later one. */
export function differsOnlyInTermination(before: CustomResourceDefinition, after: CustomResourceDefinition): boolean {
  return deepEqual(omitTermination(before), omitTermination(after));
}

function omitTermination({ metadata, status, ...rest }: CustomResourceDefinition): unknown {
  const { resourceVersion: _, managedFields: _managers, ...kept } = metadata;
  const conditions = (status?.conditions ?? []).filter(({ type }) => type !== 'Terminating');
  return { ...rest, metadata: kept, status: { ...status, conditions } };
}

/** What is to be done about a definition's objects; `undefined` while it is not deleted, or no longer held. */
export function planCleanup(definition: CustomResourceDefinition, nowMillis: number): CleanupPlan | undefined {
  const { deletionTimestamp, finalizers = [] } = definition.metadata;
  if (deletionTimestamp === undefined || !finalizers.includes(cleanupFinalizer)) return undefined;
  if (isConditionTrue(definition, 'Established')) return { step: 'removeObjects' };
  const condition = {
    ...{ type: 'Terminating', status: 'False' as const, reason: 'NeverEstablished' },
    message: 'resource was never established',
  };
  return { step: 'release', status: withCondition(definition.status ?? {}, condition, nowMillis) };
}

/** A definition as the first deletion of it leaves it: held by the cleanup finalizer, and Terminating. In place. */
export function holdDefinition(definition: CustomResourceDefinition, nowMillis: number): void {
  const { finalizers = [] } = definition.metadata;
  if (!finalizers.includes(cleanupFinalizer)) definition.metadata.finalizers = [...finalizers, cleanupFinalizer];
  definition.status = planTermination(definition, { stage: 'pending' }, nowMillis);
}
