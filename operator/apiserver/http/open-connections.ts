import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/**
 * The connections of a server, ended one by one when nothing is under way on them. Node's own `closeIdleConnections` also cuts off those
 * whose last answer is still being sent.
 */
export class OpenConnections {
  /** Requests under way by connection. */
  readonly #requests = new Map<Socket, number>();
  /** What is below TLS, from before a handshake ends. */
  readonly #sockets = new Set<Socket>();
  #isEnding = false;

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.on('secureConnection', (socket: TLSSocket) => {
      this.#requests.set(socket, 0);
      socket.once('close', () => this.#requests.delete(socket));
    });
  }

  /** Tells of a request; returns whether it may be served: on a connection that has been ended nobody would get the answer. */
  begin({ socket }: IncomingMessage, response: ServerResponse): boolean {
    if (socket.writableEnded) return false;
    this.#requests.set(socket, (this.#requests.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const left = (this.#requests.get(socket) ?? 1) - 1;
      if (this.#requests.has(socket)) this.#requests.set(socket, left);
      if (this.#isEnding && left === 0) socket.destroySoon();
    });
    return true;
  }

  /** Ends every connection as soon as its last answer is sent. */
  end(): void {
    this.#isEnding = true;
    for (const [socket, requests] of this.#requests) if (requests === 0) socket.destroySoon();
  }

  /** Cuts off whatever is left, handshakes too. */
  destroy(): void {
    for (const socket of [...this.#requests.keys(), ...this.#sockets]) socket.destroy();
  }
}
