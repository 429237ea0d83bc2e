import { expect, it } from 'vitest';

import { parseRuntimeEndpoint } from './parse-runtime-endpoint.ts';

it.for([
  ['unix:///run/containerd/containerd.sock', { socketPath: '/run/containerd/containerd.sock' }],
  ['UNIX:///run/containerd/containerd.sock', { socketPath: '/run/containerd/containerd.sock' }],
  ['unix:/run/crio/crio.sock', { socketPath: '/run/crio/crio.sock' }],
  ['/run/containerd/containerd.sock', { socketPath: '/run/containerd/containerd.sock' }],
  ['unix:///run/with space.sock', { socketPath: '/run/with space.sock' }],
  ['tcp://127.0.0.1:1234', { error: 'only support unix socket endpoint' }],
  ['npipe:////./pipe/containerd', { error: 'protocol "npipe" not supported' }],
  ['http://localhost', { error: 'protocol "http" not supported' }],
  ['', { error: 'the endpoint is empty' }],
  [
    'unix://run/containerd.sock',
    { error: '"unix://run/containerd.sock" has no absolute path, as unix:///run/containerd/containerd.sock has' },
  ],
  [
    'containerd.sock',
    { error: '"containerd.sock" has no absolute path, as unix:///run/containerd/containerd.sock has' },
  ],
  ['unix://', { error: '"unix://" has no absolute path, as unix:///run/containerd/containerd.sock has' }],
] as const)('reads the endpoint %j', ([endpoint, expected]) => {
  expect(parseRuntimeEndpoint(endpoint)).toEqual(expected);
});
