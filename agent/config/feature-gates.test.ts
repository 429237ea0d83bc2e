import { describe, expect, it } from 'vitest';
import { type FeatureGates, featureGateDefinitions, findGateFault, resolveFeatureGates } from './feature-gates.ts';

describe('feature gates', () => {
  // The stages that the specification gives for release 1.34.
  it.for([
    ['ContainerCheckpoint', 'Beta', true, '1.30'],
    ['InPlacePodVerticalScaling', 'Beta', true, '1.33'],
    ['GracefulNodeShutdown', 'Beta', true, '1.21'],
    ['KubeletEnsureSecretPulledImages', 'Alpha', false, '1.33'],
    ['SystemdWatchdog', 'Beta', true, '1.32'],
  ] as const)('%s is %s, enabled: %s, since %s', ([name, stage, isEnabled, since]) => {
    expect(featureGateDefinitions[name]).toMatchObject({ stage, isEnabled, since });
    expect(resolveFeatureGates({}).isEnabled(name)).toBe(isEnabled);
    expect(resolveFeatureGates({ [name]: !isEnabled }).isEnabled(name)).toBe(!isEnabled);
  });

  it('has no alpha feature on, and no stable one that can be turned off', () => {
    for (const definition of Object.values(featureGateDefinitions)) {
      expect(definition.isEnabled).toBe(definition.stage !== 'Alpha');
      expect('isLocked' in definition).toBe(definition.stage === 'Stable');
    }
  });

  it.for([
    ['NoSuchGate', true, 'unrecognized feature gate: NoSuchGate'],
    ['__proto__', true, 'unrecognized feature gate: __proto__'],
    ['NodeSwap', false, 'cannot set feature gate NodeSwap to false, feature is locked to true'],
    ['NodeSwap', true, undefined],
    ['AllAlpha', true, undefined],
    ['ContainerCheckpoint', false, undefined],
  ] as const)('finds in %s=%s: %s', ([name, value, fault]) => {
    expect(findGateFault(name, value)).toBe(fault);
  });

  it.for([
    [{ AllAlpha: true }, ['KubeletEnsureSecretPulledImages'], []],
    [{ AllAlpha: true, KubeletEnsureSecretPulledImages: false }, [], ['KubeletEnsureSecretPulledImages']],
    [{ AllBeta: false }, ['NodeSwap'], ['ContainerCheckpoint', 'SystemdWatchdog']],
    [{ AllBeta: false, SystemdWatchdog: true }, ['SystemdWatchdog'], ['ContainerCheckpoint']],
  ] as const)('sets a whole stage: %j', ([set, on, off]) => {
    const gates: FeatureGates = resolveFeatureGates(set);
    for (const name of on) expect(gates.isEnabled(name)).toBe(true);
    for (const name of off) expect(gates.isEnabled(name)).toBe(false);
  });
});
