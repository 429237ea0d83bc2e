import type { AddressInfo, Server } from 'node:net';

/** Has a server listen at an address; `port` 0 takes a free one. Resolves to the port. Throws what the system says when it cannot. */
export async function listenAt(server: Server, port: number, address: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}
