import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import { Server as NetServer, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/**
 * The connections of a server, ended one by one when nothing is under way on them. Node's own `closeIdleConnections` also cuts off those
 * whose last answer is still being sent.
 */
export class OpenConnections {
  /** Answers under way by connection. */
  readonly #answers = new Map<Socket, Set<ServerResponse>>();
  /** What is below TLS, from before a handshake ends. */
  readonly #sockets = new Set<Socket>();
  #isEnding = false;

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.on('secureConnection', (socket: TLSSocket) => {
      this.#answers.set(socket, new Set());
      socket.once('close', () => this.#answers.delete(socket));
    });
  }

  /** Tells of a request; returns whether it may be served: on a connection that has been ended nobody would get the answer. */
  begin({ socket }: IncomingMessage, response: ServerResponse): boolean {
    if (socket.writableEnded) return false;
    const answers = this.#answers.get(socket);
    answers?.add(response);
    if (this.#isEnding) response.setHeader('Connection', 'close');
    response.once('close', () => {
      answers?.delete(response);
      if (this.#isEnding && answers?.size === 0) socket.destroySoon();
    });
    return true;
  }

  /** Takes no more connections, and ends every one as soon as its last answer is sent; resolves when all have ended. */
  close(server: Server): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      // That of an HTTP server would cut off answers, too.
      NetServer.prototype.close.call(server, () => resolve());
    });
    this.#end();
    return closed;
  }

  #end(): void {
    this.#isEnding = true;
    for (const [socket, answers] of this.#answers) {
      if (answers.size === 0) socket.destroySoon();
      // Whoever knows it does not send the next request on the same connection.
      for (const answer of answers) if (!answer.headersSent) answer.setHeader('Connection', 'close');
    }
  }

  /** Cuts off whatever is left, handshakes too. */
  destroy(): void {
    for (const socket of [...this.#answers.keys(), ...this.#sockets]) socket.destroy();
  }
}
