import { expect, it } from 'vitest';

import type { FollowedResource } from '../kube/host-discovery.ts';
import { findHostScale } from './scale-sources.ts';

const rollouts: FollowedResource = {
  ...{ group: 'acme.example', version: 'v2', resource: 'rollouts', kind: 'Rollout', namespaced: true },
  ...{ verbs: ['get'], shortNames: [], subresources: ['status', 'scale'], servedVersions: ['v2', 'v1'] },
};
const found = {
  resource: { group: 'acme.example', version: 'v2', resource: 'rollouts' },
  ...{ namespaced: true, hasScale: true },
};

it.for([
  ['in the version that the host prefers', 'acme.example', 'v2', found],
  ['in the preferred version, when another one that is served is named', 'acme.example', 'v1', found],
  ['not at all in a version that is not served', 'acme.example', 'v9', undefined],
  ['not at all in another group', 'other.example', 'v2', undefined],
] as const)('a host finds a kind %s', ([, group, version, expected]) => {
  expect(findHostScale(() => [rollouts])(group, version, 'Rollout')).toEqual(expected);
});
