import { Client, credentials, Metadata, status, type ServiceError } from '@grpc/grpc-js';

import type { CallOptions } from './container-runtime.ts';
import type { CriProtocol, CriService } from './cri-protocol.ts';
import { RuntimeFailure, runtimeFailureCodes } from './runtime-failure.ts';

/** The largest message either side sends, as for the kubelet. */
const maxMessageBytes = 16 * 1024 * 1024;

/** How to connect. */
export interface CriConnectionOptions {
  /** Absolute path of the socket that the runtime listens at. */
  readonly socketPath: string;
  /** The time of a call that says none. */
  readonly timeoutMillis: number;
}

function describeFailure(error: ServiceError, deadlineMillis: number, signal: AbortSignal | undefined): RuntimeFailure {
  const code = runtimeFailureCodes[error.code] ?? 'Unknown';
  // What ended the call from this side has the words that it has in Kubernetes.
  const ended =
    (error.code === status.DEADLINE_EXCEEDED && Date.now() >= deadlineMillis && 'context deadline exceeded') ||
    (error.code === status.CANCELLED && signal?.aborted && 'context canceled');
  return new RuntimeFailure(code, ended || error.details, { cause: error });
}

/** Calls to one socket. It connects at the first call, and again after the peer was away: at most every 3 s. */
export class CriConnection {
  readonly #protocol: CriProtocol;
  readonly #client: Client;
  readonly #timeoutMillis: number;
  readonly #closed = new AbortController();

  constructor(protocol: CriProtocol, options: CriConnectionOptions) {
    this.#protocol = protocol;
    this.#timeoutMillis = options.timeoutMillis;
    this.#client = new Client(`unix:${options.socketPath}`, credentials.createInsecure(), {
      'grpc.default_authority': 'localhost',
      'grpc.max_receive_message_length': maxMessageBytes,
      'grpc.max_send_message_length': maxMessageBytes,
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 3000,
      // A dump must not be done twice.
      'grpc.enable_retries': 0,
      'grpc.enable_http_proxy': 0,
      'grpc.use_local_subchannel_pool': 1,
    });
  }

  /**
   * Calls a method and resolves to its answer, of the shape that the protocol gives it with fields in camelCase. Throws `RuntimeFailure`;
   * throws another error where there is no such method or `request` does not fit it.
   */
  call(service: CriService, method: string, request: object, options: CallOptions = {}): Promise<object> {
    const { path, requestSerialize, responseDeserialize } = this.#protocol.findMethod(service, method);
    const ends = options.signal ? AbortSignal.any([options.signal, this.#closed.signal]) : this.#closed.signal;
    if (this.#closed.signal.aborted) {
      return Promise.reject(new RuntimeFailure('Canceled', 'grpc: the client connection is closing'));
    }
    if (ends.aborted) return Promise.reject(new RuntimeFailure('Canceled', 'context canceled'));
    const deadlineMillis = Date.now() + (options.timeoutMillis ?? this.#timeoutMillis);
    return new Promise((resolve, reject) => {
      const cancel = (): void => call.cancel();
      const call = this.#client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        new Metadata(),
        { deadline: deadlineMillis },
        (error, answer) => {
          ends.removeEventListener('abort', cancel);
          if (error) reject(describeFailure(error, deadlineMillis, ends));
          else if (answer) resolve(answer);
          else reject(new RuntimeFailure('Internal', 'the answer is empty'));
        },
      );
      ends.addEventListener('abort', cancel, { once: true });
    });
  }

  /** Ends the connection and the calls under way; may be called again. */
  close(): void {
    this.#closed.abort();
    this.#client.close();
  }
}
