import type { JsonObject } from '../../core/meta/json.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import type { UserInfo } from '../../core/meta/user-info.ts';
import type { OperationParameter } from './discovery/operation-parameter.ts';
import type { HandlerTarget } from './handler-target.ts';

/** A request about objects that are not stored here. */
export interface HeldRequest {
  /** `undefined`: all namespaces. */
  readonly namespace: string | undefined;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Adds a `Warning` header. */
  warn(text: string): void;
}

/** A request about one of them. */
export interface HeldObjectRequest extends HeldRequest {
  readonly namespace: string;
  readonly name: string;
}

/** Which of them to list. */
export interface HeldListRequest extends HeldRequest {
  /** As the client gave it, checked; for who can ask more narrowly by it. */
  readonly fieldSelector: string;
  /** What both selectors leave. */
  matches(object: KubeObject & JsonObject): boolean;
  /** 0: all. */
  readonly limit: number;
  /** What an earlier page said of its end; empty on the first. */
  readonly continue: string;
}

/** A page of objects; `continue` is absent on the last one. */
export interface HeldPage {
  readonly items: readonly (KubeObject & JsonObject)[];
  readonly continue?: string;
}

/** Answers for a kind whose objects somebody else holds. Every refusal is a StatusError. */
export interface HeldKindHandler {
  readonly type: 'held';
  readonly target: HandlerTarget;
  list(request: HeldListRequest): Promise<HeldPage>;
  get(request: HeldObjectRequest): Promise<KubeObject & JsonObject>;
  /** Makes `live` what `next` is, which is valid; resolves to what it is then. */
  update(
    request: HeldObjectRequest,
    live: KubeObject & JsonObject,
    next: KubeObject & JsonObject,
  ): Promise<KubeObject & JsonObject>;
  delete(request: HeldObjectRequest, live: KubeObject & JsonObject): Promise<void>;
}

/** One request of a subresource that is passed on. */
export interface ConnectRequest {
  readonly namespace: string;
  readonly name: string;
  readonly query: URLSearchParams;
  /** Headers of the request, by lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly user: UserInfo;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Asks the validating admission plugins, which see the options as the object of a CONNECT. */
  admit(options: JsonObject): Promise<void>;
  /** Gives the seats of flow control back: what is left to do is done by somebody else. */
  releaseSeats(): void;
}

/** How a request that was passed on is answered. */
export type ConnectAnswer =
  | { readonly type: 'object'; readonly code: number; readonly object: JsonObject }
  | {
      readonly type: 'stream';
      readonly code: number;
      readonly headers: Readonly<Record<string, string>>;
      /** What is sent, with back-pressure; an error breaks the answer off. */
      readonly body: AsyncIterable<Uint8Array | string>;
    };

/** Serves a subresource whose requests are passed on to somebody else, in the manner of `pods/exec`: the parent may be no kind of the group. */
export interface ConnectHandler {
  readonly type: 'connect';
  readonly target: HandlerTarget & { readonly subresource: string };
  readonly verb: 'create' | 'get';
  /** What discovery says that it answers. */
  readonly answerKind: { readonly apiVersion: string; readonly kind: string };
  readonly description: string;
  /** Media types of streams that it may answer; an Accept header that names one is not held against JSON. */
  readonly streamTypes: readonly string[];
  /** Parameters of the query. */
  readonly parameters: readonly OperationParameter[];
  /** Throws a StatusError for every refusal. */
  serve(request: ConnectRequest): Promise<ConnectAnswer>;
}
