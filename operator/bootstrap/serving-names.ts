/** Addresses that stand for every interface and name no host. */
const unspecifiedAddresses = new Set(['0.0.0.0', '::']);

/** Names and addresses that the serving certificate must carry. */
export function listServingNames(hostname: string, address: string): string[] {
  const names = new Set([
    'localhost',
    '127.0.0.1',
    '::1',
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
  ]);
  if (hostname !== '') names.add(hostname);
  if (!unspecifiedAddresses.has(address)) names.add(address);
  return [...names];
}

/** URL at which a client on this machine reaches a service that listens on `address`. */
export function formatServerUrl(address: string, port: number): string {
  const host = address === '::' ? '::1' : address === '0.0.0.0' ? '127.0.0.1' : address;
  return `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
