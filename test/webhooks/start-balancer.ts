import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** One address in front of several replicas, as a Service is on a cluster. */
export interface Balancer {
  readonly port: number;
  /** Ports of the replicas that take connections, on loopback; those that stand go on. */
  setTargets(ports: readonly number[]): void;
  close(): Promise<void>;
}

/** Passes TCP connections on to the replicas in turn; one that no replica takes is cut off. */
export async function startBalancer(): Promise<Balancer> {
  let targets: readonly number[] = [];
  let next = 0;
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    keep(client);
    const port = targets[next++ % Math.max(1, targets.length)];
    if (port === undefined) {
      client.destroy();
      return;
    }
    const replica = connect(port, '127.0.0.1');
    keep(replica);
    client.pipe(replica).pipe(client);
    client.once('close', () => replica.destroy());
    replica.once('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    setTargets(ports) {
      targets = [...ports];
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
