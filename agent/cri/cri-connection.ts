import { Client, credentials, Metadata, status, type ServiceError } from '@grpc/grpc-js';

import type { CallOptions } from './container-runtime.ts';
import type { CriProtocol, CriService } from './cri-protocol.ts';
import { RuntimeFailure, runtimeFailureCodes } from './runtime-failure.ts';

/** The largest message either side sends, as for the kubelet. */
const maxMessageBytes = 16 * 1024 * 1024;

/** containerd's name for the containers that it keeps for Kubernetes. */
const containerdNamespace = 'k8s.io';

/** How to connect. */
export interface CriConnectionOptions {
  /** Absolute path of the socket that the runtime listens at. */
  readonly socketPath: string;
  /** The time of a call that says none. */
  readonly timeoutMillis: number;
}

/** How a call differs from others. */
export interface CriCallOptions extends CallOptions {
  /** The peer is not told how much time the call has; it is ended from this side all the same. */
  readonly keepsDeadlineToItself?: boolean;
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
  async call(service: CriService, method: string, request: object, options: CriCallOptions = {}): Promise<object> {
    const { path, requestSerialize, responseDeserialize } = this.#protocol.findMethod(service, method);
    const timeoutMillis = options.timeoutMillis ?? this.#timeoutMillis;
    const timeout = AbortSignal.timeout(timeoutMillis);
    const signals = [this.#closed.signal, timeout, ...(options.signal ? [options.signal] : [])];
    const ends = AbortSignal.any(signals);
    const describeEnd = (cause?: Error): RuntimeFailure => {
      if (options.signal?.aborted) return new RuntimeFailure('Canceled', 'context canceled', { cause });
      if (this.#closed.signal.aborted) {
        return new RuntimeFailure('Canceled', 'grpc: the client connection is closing', { cause });
      }
      return new RuntimeFailure('DeadlineExceeded', 'context deadline exceeded', { cause });
    };
    if (ends.aborted) throw describeEnd();
    const metadata = new Metadata();
    if (service === 'Tasks') metadata.set('containerd-namespace', containerdNamespace);
    const deadline = options.keepsDeadlineToItself ? {} : { deadline: Date.now() + timeoutMillis };
    return new Promise((resolve, reject) => {
      const cancel = (): void => call.cancel();
      const done = (error: ServiceError | null, answer?: object): void => {
        ends.removeEventListener('abort', cancel);
        if (!error) {
          // A unary call that did not fail has an answer.
          resolve(answer ?? {});
        } else if (ends.aborted || (error.code === status.DEADLINE_EXCEEDED && !options.keepsDeadlineToItself)) {
          reject(describeEnd(error));
        } else {
          const code = runtimeFailureCodes[error.code] ?? 'Unknown';
          reject(new RuntimeFailure(code, error.details, { cause: error }));
        }
      };
      const call = this.#client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        metadata,
        deadline,
        done,
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
