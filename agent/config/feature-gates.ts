/** How far a feature is: only alpha ones are off by default, and only stable ones cannot be turned off. */
export type FeatureStage = 'Alpha' | 'Beta' | 'Stable';

/** What is known of a feature gate. */
export interface FeatureGateDefinition {
  readonly stage: FeatureStage;
  readonly isEnabled: boolean;
  /** Whether it can only have its default. */
  readonly isLocked?: true;
  /** First release of this stage. */
  readonly since: string;
  readonly description: string;
  /** What it changes in this agent; `undefined`: nothing yet. */
  readonly effect?: string;
}

/** The feature gates of the node agent, with the stages of release 1.34. */
export const featureGateDefinitions = {
  ContainerCheckpoint: {
    ...{ stage: 'Beta', isEnabled: true, since: '1.30' },
    description: 'Checkpoints of running containers.',
    effect: 'Off, no path below `/checkpoint/` and `/checkpoints` is served.',
  },
  GracefulNodeShutdown: {
    ...{ stage: 'Beta', isEnabled: true, since: '1.21' },
    description: 'Pods are ended in order when the machine shuts down.',
  },
  GracefulNodeShutdownBasedOnPodPriority: {
    ...{ stage: 'Beta', isEnabled: true, since: '1.24' },
    description: 'Pods of lower priority are ended first when the machine shuts down.',
  },
  InPlacePodVerticalScaling: {
    ...{ stage: 'Beta', isEnabled: true, since: '1.33' },
    description: 'Resources of running pods change; records of what pods were allocated are kept.',
  },
  KubeletEnsureSecretPulledImages: {
    ...{ stage: 'Alpha', isEnabled: false, since: '1.33' },
    description: 'Records of pulled images and of the credentials they were pulled with.',
  },
  KubeletFineGrainedAuthz: {
    ...{ stage: 'Beta', isEnabled: true, since: '1.33' },
    description: 'Paths are authorized by subresources of their own.',
    effect: 'Off, `/pods`, `/healthz` and `/configz` are authorized as `nodes/proxy` only.',
  },
  KubeletPSI: {
    ...{ stage: 'Beta', isEnabled: true, since: '1.34' },
    description: 'Pressure stall information.',
    effect: 'Off, `/metrics` has none of the node.',
  },
  NodeSwap: {
    ...{ stage: 'Stable', isEnabled: true, isLocked: true, since: '1.34' },
    description: 'Pods may use swap.',
  },
  RecursiveReadOnlyMounts: {
    ...{ stage: 'Stable', isEnabled: true, isLocked: true, since: '1.33' },
    description: 'Mounts can be read-only with all that is below them.',
  },
  RotateKubeletServerCertificate: {
    ...{ stage: 'Beta', isEnabled: true, since: '1.12' },
    description: 'The serving certificate is asked for at the API, and renewed.',
    effect: 'Off, `serverTLSBootstrap` has no effect.',
  },
  SystemdWatchdog: {
    ...{ stage: 'Beta', isEnabled: true, since: '1.32' },
    description: 'The service manager is told that the agent is alive.',
    effect: 'Off, no `WATCHDOG=1` is sent.',
  },
  UserNamespacesSupport: {
    ...{ stage: 'Beta', isEnabled: true, since: '1.33' },
    description: 'Pods may have user namespaces of their own.',
  },
} as const satisfies Readonly<Record<string, FeatureGateDefinition>>;

/** Name of a feature gate. */
export type FeatureGateName = keyof typeof featureGateDefinitions;

const definitions: Readonly<Record<string, FeatureGateDefinition>> = featureGateDefinitions;

/** `AllAlpha` and `AllBeta` set every gate of their stage that is not set by name. */
const stageGates: Readonly<Record<string, FeatureStage>> = { AllAlpha: 'Alpha', AllBeta: 'Beta' };

/** Which features are on. */
export class FeatureGates {
  readonly #enabled: ReadonlySet<string>;

  constructor(enabled: Iterable<string>) {
    this.#enabled = new Set(enabled);
  }

  isEnabled(name: FeatureGateName): boolean {
    return this.#enabled.has(name);
  }
}

/** Why a gate cannot have a value, in Kubernetes' words; `undefined` when it can. */
export function findGateFault(name: string, value: boolean): string | undefined {
  if (Object.hasOwn(stageGates, name)) return undefined;
  const definition = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
  if (definition === undefined) return `unrecognized feature gate: ${name}`;
  if (definition.isLocked !== true || definition.isEnabled === value) return undefined;
  return `cannot set feature gate ${name} to ${value}, feature is locked to ${definition.isEnabled}`;
}

/** The gates that result from those that are set; what cannot be set has been refused before. */
export function resolveFeatureGates(set: Readonly<Record<string, boolean>>): FeatureGates {
  const enabled = Object.entries(definitions).filter(([name, { stage, isEnabled, isLocked }]) => {
    if (Object.hasOwn(set, name)) return set[name];
    const stageGate = Object.keys(stageGates).find((gate) => stageGates[gate] === stage && Object.hasOwn(set, gate));
    return stageGate === undefined || isLocked === true ? isEnabled : set[stageGate];
  });
  return new FeatureGates(enabled.map(([name]) => name));
}
