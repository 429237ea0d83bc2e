import type { AuditLevel, AuditStage } from './audit-event.ts';

/** Resources of one group that a rule is about; `*`, `pods/*` and the like stand for several. An absent list means all. */
export interface AuditedResources {
  readonly group: string;
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

/** Which requests are recorded at a level; an empty list means all. */
export interface AuditRule {
  readonly level: AuditLevel;
  readonly users: readonly string[];
  readonly userGroups: readonly string[];
  readonly verbs: readonly string[];
  readonly resources: readonly AuditedResources[];
  readonly namespaces: readonly string[];
  readonly nonResourceURLs: readonly string[];
  readonly omitStages: readonly AuditStage[];
  /** `undefined`: as the policy says. */
  readonly omitManagedFields: boolean | undefined;
}

/** What is recorded of which requests; the first rule that matches counts, and without one nothing is. */
export interface AuditPolicy {
  readonly rules: readonly AuditRule[];
  readonly omitStages: readonly AuditStage[];
  readonly omitManagedFields: boolean;
}

const none = { users: [], userGroups: [], resources: [], namespaces: [], nonResourceURLs: [], omitStages: [] } as const;

/**
 * What is recorded where no policy file is given: who wrote what, without the bodies, once it has been answered, and who read the archives of
 * containers, which hold their memory with every secret in it.
 */
export function makeDefaultAuditPolicy(domain: string): AuditPolicy {
  const archives = { group: `node.${domain}`, resources: ['checkpoints/archive'], resourceNames: [] };
  return {
    rules: [
      { ...none, level: 'Metadata', verbs: [], resources: [archives], omitManagedFields: undefined },
      { ...none, level: 'None', verbs: ['get', 'list', 'watch', 'head'], omitManagedFields: undefined },
      { ...none, level: 'Metadata', verbs: [], omitManagedFields: undefined },
    ],
    omitStages: ['RequestReceived'],
    omitManagedFields: false,
  };
}
