/** Where a runtime listens, or why the text does not say it. */
export type RuntimeEndpoint = { readonly socketPath: string } | { readonly error: string };

/** Reads an endpoint as the kubelet's flags and fields give it: `unix:///run/containerd/containerd.sock`, or the bare path. */
export function parseRuntimeEndpoint(endpoint: string): RuntimeEndpoint {
  if (endpoint === '') return { error: 'the endpoint is empty' };
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(endpoint)?.[1]?.toLowerCase();
  if (scheme === 'tcp') return { error: 'only support unix socket endpoint' };
  if (scheme !== undefined && scheme !== 'unix') return { error: `protocol ${JSON.stringify(scheme)} not supported` };
  const [, host, path] = /^(?:unix:)?(?:\/\/([^/]*))?(.*)$/i.exec(endpoint) ?? [];
  if (host || !path?.startsWith('/')) {
    return { error: `${JSON.stringify(endpoint)} has no absolute path, as unix:///run/containerd/containerd.sock has` };
  }
  return { socketPath: path };
}
