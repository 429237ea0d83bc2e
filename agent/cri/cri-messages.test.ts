import { expect, it } from 'vitest';

import {
  readContainerMessage,
  readFilesystemMessage,
  readSandboxStatusMessage,
  readStatusMessage,
} from './cri-messages.ts';

const container = {
  ...{ id: 'c1', podSandboxId: 's1', metadata: { name: 'web', attempt: 2 }, imageRef: 'sha256:1', createdAt: 1.7e18 },
  ...{ labels: { a: 'b' }, annotations: {}, image: { image: 'sha256:1', userSpecifiedImage: '' } },
};

it.for([
  ['CONTAINER_CREATED', 'Created'],
  ['CONTAINER_RUNNING', 'Running'],
  ['CONTAINER_EXITED', 'Exited'],
  ['CONTAINER_UNKNOWN', 'Unknown'],
  ['CONTAINER_OF_TOMORROW', 'Unknown'],
] as const)('reads the state %s of a container as %s', ([state, expected]) => {
  expect(readContainerMessage({ ...container, state }).state).toBe(expected);
});

it('prefers the image that was asked for to the one it was found to be', () => {
  const asked = { image: 'sha256:1', userSpecifiedImage: 'localhost/web:1' };
  expect(readContainerMessage({ ...container, state: '', image: asked }).image).toBe('localhost/web:1');
  expect(readContainerMessage({ ...container, state: '' }).image).toBe('sha256:1');
});

it('reads what a runtime left out as nothing', () => {
  expect(readContainerMessage({ ...container, state: '', metadata: null, image: null })).toMatchObject({
    name: '',
    attempt: 0,
    image: '',
  });
  expect(readFilesystemMessage({ fsId: null, usedBytes: null, inodesUsed: null })).toEqual({
    mountpoint: '',
    usedBytes: 0,
    inodesUsed: 0,
  });
  expect(
    readStatusMessage({ status: null, runtimeHandlers: [{ name: 'runc', features: null }], features: null }),
  ).toEqual({
    conditions: [],
    handlers: [{ name: 'runc', recursiveReadOnlyMounts: false, userNamespaces: false }],
    supplementalGroupsPolicy: false,
  });
});

const sandbox = {
  ...{
    id: 's1',
    metadata: null,
    state: 'SANDBOX_READY',
    createdAt: 0,
    runtimeHandler: '',
    labels: {},
    annotations: {},
  },
};

it.for([
  ['all addresses, the first first', { ip: '10.0.0.1', additionalIps: [{ ip: 'fd00::1' }] }, ['10.0.0.1', 'fd00::1']],
  ["none of a pod with the node's network", { ip: '', additionalIps: [] }, []],
  ['none where there is no network', null, []],
] as const)('reads %s', ([, network, addresses]) => {
  expect(readSandboxStatusMessage({ ...sandbox, network, linux: null }).addresses).toEqual(addresses);
});
