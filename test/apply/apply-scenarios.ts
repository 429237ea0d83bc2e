import type { ApplyScenario } from './apply-scenario.ts';
import { configMapScenarios } from './config-map-scenarios.ts';
import { structuredScenarios } from './structured-scenarios.ts';

/** Sequences of writes that are recorded on a real API server, and played against the running service. */
export const applyScenarios: readonly ApplyScenario[] = [...configMapScenarios, ...structuredScenarios];
