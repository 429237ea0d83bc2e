import { randomUUID } from 'node:crypto';
import { encodeJson } from '../../../core/decode/encode-json.ts';
import { parseJson } from '../../../core/decode/parse-json.ts';
import { StatusError } from '../../../core/errors/status.ts';
import { quoteGo } from '../../../core/errors/quote-go.ts';
import type { JsonObject } from '../../../core/meta/json.ts';
import type { CustomResourceDefinition } from '../../../kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts';
import { postWebhook } from '../../../platform/kube/post-webhook.ts';
import { makeConversionReview, readConversionReview, type ConversionQuestion } from './conversion-review.ts';

const timeoutMillis = 30_000;
const maxAnswerBytes = 64 << 20;

/** 500 without a reason, as Kubernetes answers it. */
function makeConversionError(message: string): StatusError {
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
}

function describeKind(object: JsonObject): string {
  return `${String(object['apiVersion'])}, Kind=${String(object['kind'])}`;
}

/** The URL to call, or why there is none: services are a cluster's, and nothing here finds them. */
function findUrl({ spec }: CustomResourceDefinition): { url: string } | { url: string; fault: string } {
  const { url, service } = spec.conversion?.webhook?.clientConfig ?? {};
  if (url !== undefined) return { url: `${url}${url.includes('?') ? '&' : '?'}timeout=30s` };
  const { name = '', namespace = '', path = '', port = 443 } = service ?? {};
  return {
    url: `https://${name}.${namespace}.svc:${port}${path === '' ? '/' : path}?timeout=30s`,
    fault: `service ${quoteGo(name)} not found`,
  };
}

/**
 * Objects of a definition in another of its versions, by its webhook, in the same order. Throws a StatusError with code 500 when the
 * webhook cannot be reached, refuses, or answers what is no conversion.
 */
export async function convertByWebhook(
  definition: CustomResourceDefinition,
  objects: readonly JsonObject[],
  desiredApiVersion: string,
): Promise<readonly JsonObject[]> {
  const [first] = objects;
  if (first === undefined) return [];
  const webhook = definition.spec.conversion?.webhook;
  const question: ConversionQuestion = {
    uid: randomUUID(),
    desiredApiVersion,
    objects,
    reviewVersions: webhook?.conversionReviewVersions ?? [],
  };
  const fail = (fault: string): StatusError =>
    makeConversionError(`conversion webhook for ${describeKind(first)} failed: ${fault}`);
  const review = makeConversionReview(question);
  if ('fault' in review) throw makeConversionError(String(review['fault']));
  const found = findUrl(definition);
  if ('fault' in found) throw fail(`Post ${quoteGo(found.url)}: ${found.fault}`);
  const bundle = webhook?.clientConfig?.caBundle ?? '';
  const answer = await postWebhook({
    url: found.url,
    ...(bundle === '' ? {} : { authorities: Buffer.from(bundle, 'base64').toString('utf8') }),
    body: encodeJson(review),
    timeoutMillis,
    maxAnswerBytes,
  });
  if ('fault' in answer) throw fail(`Post ${quoteGo(found.url)}: ${answer.fault}`);
  const parsed = parseJson(Buffer.from(answer.text));
  if ('fault' in parsed) throw fail(parsed.fault);
  const read = readConversionReview(parsed.value, question);
  if ('objects' in read) return read.objects;
  if (read.isAnswered) throw makeConversionError(`conversion webhook for ${describeKind(first)} ${read.fault}`);
  throw fail(read.fault);
}
