import type { IncomingMessage, ServerResponse } from 'node:http';
import { encodeJson } from '../../core/decode/encode-json.ts';
import {
  makeBadRequestError,
  makeGenericNotFoundError,
  makeInternalError,
  makeMethodNotSupportedError,
  makeTimeoutError,
  makeTooLargeError,
  makeTooManyRequestsError,
  makeUnauthorizedError,
  makeUnsupportedMediaTypeError,
} from '../../core/errors/make-status-error.ts';
import type { StatusError } from '../../core/errors/status.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { Logger } from '../../platform/process/logger.ts';
import { reviewApiVersion, type ReviewRequest } from '../review/admission-review.ts';
import { decideReview, type ReviewDecision, type ReviewRoute, type ReviewServices } from '../review/decide-review.ts';
import { readReview } from '../review/read-review.ts';
import { type CallerRules, isAllowedCaller } from './caller-check.ts';
import { readDeadline } from './read-deadline.ts';
import { BodyBudget, type LimitedBody, maxReviewBytes, readLimitedBody } from './read-limited-body.ts';
import type { ReviewMetrics } from './review-metrics.ts';

/** What serving reviews needs. */
export interface ReviewServingOptions extends ReviewServices {
  readonly routes: readonly ReviewRoute[];
  /** Finds what decides at a path that is none of these; `undefined`: nobody does. Such paths share one name in the metrics. */
  readonly findRoute?: (path: string) => ReviewRoute | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: ReviewMetrics;
  /** Absent: everybody may call. */
  readonly callers?: CallerRules | undefined;
  /** Absent: one of the default size. */
  readonly budget?: BodyBudget;
  /** Whether connections are to end with their next answer, since the program is about to. */
  readonly isDraining: () => boolean;
}

interface Answer {
  readonly code: number;
  readonly body: string;
  /** Whether part of the request was left unread, so that the connection is of no use any more. */
  readonly isBroken?: boolean;
}

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

function isJson(request: IncomingMessage): boolean {
  const [mediaType = ''] = (request.headers['content-type'] ?? '').split(';', 1);
  return mediaType.trim().toLowerCase() === 'application/json';
}

function answerError({ status }: StatusError, isBroken = false): Answer {
  return { code: status.code, body: encodeJson(status), ...(isBroken ? { isBroken } : {}) };
}

function encodeDecision({ response }: ReviewDecision): string {
  return encodeJson({ kind: 'AdmissionReview', apiVersion: reviewApiVersion, response });
}

/** Answers the host's calls; a call that cannot be decided is answered by an HTTP error, and the host's failure policy decides. */
export class ReviewServing {
  readonly #options: ReviewServingOptions;
  readonly #routes: ReadonlyMap<string, ReviewRoute>;
  readonly #budget: BodyBudget;

  constructor(options: ReviewServingOptions) {
    this.#options = options;
    this.#budget = options.budget ?? new BodyBudget();
    this.#routes = new Map(options.routes.map((route) => [route.path, route]));
  }

  /** The handler for a server's requests. */
  readonly handle: RequestHandler = (request, response) => {
    // No URL is made of the target: there are targets of which none can be made.
    const { url = '/' } = request;
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    const route = this.#routes.get(path) ?? this.#options.findRoute?.(path);
    if (route === undefined) {
      this.#send(request, response, answerError(makeGenericNotFoundError(), true));
      return;
    }
    const end = this.#options.metrics.begin(route.path);
    void this.#answer(route, new URLSearchParams(mark < 0 ? '' : url.slice(mark)), request).then((answer) => {
      end(answer.code);
      this.#send(request, response, answer);
    });
  };

  /** Never rejects. */
  async #answer(route: ReviewRoute, query: URLSearchParams, request: IncomingMessage): Promise<Answer> {
    const { clock } = this.#options;
    const deadlineMillis = clock.now() + readDeadline(query);
    if (!isAllowedCaller(request, this.#options.callers)) return answerError(makeUnauthorizedError(), true);
    if (request.method !== 'POST') {
      const verb = (request.method ?? 'GET').toLowerCase();
      return answerError(makeMethodNotSupportedError('', 'admissionreviews', verb), true);
    }
    if (!isJson(request)) {
      return answerError(makeUnsupportedMediaTypeError('the body of the request must be application/json'), true);
    }
    let body: LimitedBody;
    try {
      const allowedMillis = deadlineMillis - clock.now();
      body = await readLimitedBody(request, { budget: this.#budget, clock, allowedMillis });
    } catch {
      return answerError(makeBadRequestError('the request body could not be read'), true);
    }
    if (body === 'too large') return answerError(makeTooLargeError(`limit is ${maxReviewBytes}`), true);
    if (body === 'too late') return answerError(makeTimeoutError('the request body did not come in time', 0), true);
    // The host's client tries again after this, within its own time.
    if (body === 'no room') return answerError(makeTooManyRequestsError('too many reviews at once', 1), true);
    try {
      const review = readReview(body);
      if ('fault' in review) return answerError(makeBadRequestError(review.fault));
      return await this.#decide(route, review, Math.max(0, deadlineMillis - clock.now()));
    } finally {
      this.#budget.give(body.length);
    }
  }

  async #decide(route: ReviewRoute, review: ReviewRequest, leftMillis: number): Promise<Answer> {
    const { clock, logger, metrics } = this.#options;
    const { uid: reviewUid, operation, namespace, name, resource, subResource, userInfo } = review;
    const facts = {
      ...{ reviewUid, webhook: route.path, operation, namespace, name, resource: resource.resource },
      ...{ subresource: subResource, username: userInfo.username, dryRun: review.dryRun === true },
    };
    const late = Promise.withResolvers<undefined>();
    const cancel = clock.schedule(leftMillis, () => late.resolve(undefined));
    try {
      const deciding = decideReview(route, review, this.#options, clock.now() + leftMillis);
      const decision = await Promise.race([deciding, late.promise]);
      if (decision === undefined) {
        logger.error({ ...facts, allowedMillis: leftMillis }, 'a review could not be decided in time');
        return answerError(makeTimeoutError('the review could not be decided in time', 0));
      }
      const { outcome, refusal } = decision;
      metrics.decide(route.path, outcome, facts.dryRun);
      if (refusal === undefined) logger.debug({ ...facts, outcome }, 'review decided');
      else logger.info({ ...facts, outcome, code: refusal.code, refusal: refusal.message }, 'review decided');
      return { code: 200, body: encodeDecision(decision) };
    } catch (error) {
      logger.error({ ...facts, err: error }, 'a review could not be decided');
      return answerError(makeInternalError('the review could not be decided'));
    } finally {
      cancel();
    }
  }

  #send(request: IncomingMessage, response: ServerResponse, { code, body, isBroken }: Answer): void {
    // The caller may have gone while the review was decided.
    if (response.destroyed || response.headersSent) return;
    const closes = (isBroken === true && !request.complete) || this.#options.isDraining();
    response.writeHead(code, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...(code === 429 ? { 'retry-after': '1' } : {}),
      ...(closes ? { connection: 'close' } : {}),
    });
    response.end(body);
  }
}
