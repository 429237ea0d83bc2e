import { deepClone } from '../../../core/meta/deep.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/meta/json.ts';
import { quoteGo } from '../../../core/errors/quote-go.ts';

const reviewGroup = 'apiextensions.k8s.io';
const reviewVersions = ['v1', 'v1beta1'];

/** What a conversion webhook is asked. */
export interface ConversionQuestion {
  readonly uid: string;
  /** Group and version that the objects are to have. */
  readonly desiredApiVersion: string;
  /** All of another version than that. */
  readonly objects: readonly JsonObject[];
  /** Versions of the review that the webhook takes, the preferred one first. */
  readonly reviewVersions: readonly string[];
}

/** A review as it is sent; `fault` when the webhook takes none that is known. */
export function makeConversionReview(question: ConversionQuestion): JsonObject | { readonly fault: string } {
  const version = question.reviewVersions.find((name) => reviewVersions.includes(name));
  if (version === undefined) return { fault: 'no supported conversion review versions' };
  const { uid, desiredApiVersion: desiredAPIVersion, objects } = question;
  return {
    kind: 'ConversionReview',
    apiVersion: `${reviewGroup}/${version}`,
    request: { uid, desiredAPIVersion, objects: [...objects] },
  };
}

function readField(value: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined {
  let current = value;
  for (const name of path) current = isJsonObject(current) ? current[name] : undefined;
  return current;
}

function readText(value: JsonValue | undefined, ...path: readonly string[]): string {
  const found = readField(value, ...path);
  return typeof found === 'string' ? found : '';
}

const keptFields = [
  ['kind', 'kind'],
  ['name', 'metadata', 'name'],
  ['namespace', 'metadata', 'namespace'],
  ['UID', 'metadata', 'uid'],
] as const;

/** Labels and annotations are the webhook's; all other metadata stays. */
function restoreMetadata(original: JsonObject, converted: JsonObject): string | undefined {
  const given = converted['metadata'];
  if (given === undefined) return 'missing metadata in converted object';
  if (!isJsonObject(given)) return 'invalid metadata in converted object';
  const metadata: JsonObject = isJsonObject(original['metadata']) ? deepClone(original['metadata']) : {};
  for (const field of ['labels', 'annotations']) {
    const texts = given[field];
    delete metadata[field];
    if (texts === undefined || texts === null) continue;
    if (!isJsonObject(texts)) return `invalid metadata.${field} in converted object`;
    for (const [key, text] of Object.entries(texts)) {
      if (typeof text !== 'string') return `metadata.${field}[${key}] must be a string`;
    }
    metadata[field] = texts;
  }
  converted['metadata'] = metadata;
  return undefined;
}

function checkConverted(original: JsonObject, converted: JsonValue, desiredApiVersion: string): string | undefined {
  if (!isJsonObject(converted)) return 'it is no object';
  const apiVersion = readText(converted, 'apiVersion');
  if (apiVersion !== desiredApiVersion) {
    return `invalid groupVersion (expected ${desiredApiVersion}, received ${apiVersion})`;
  }
  for (const [label, ...path] of keptFields) {
    const [before, after] = [readText(original, ...path), readText(converted, ...path)];
    if (before !== after) return `must have the same ${label}: ${before} != ${after}`;
  }
  return restoreMetadata(original, converted);
}

/** The converted objects out of a webhook's answer, in the order of the question; `fault` is what is wrong with it, in Kubernetes' words. */
export function readConversionReview(
  answer: JsonValue,
  question: ConversionQuestion,
): { readonly objects: readonly JsonObject[] } | { readonly fault: string; readonly isAnswered: boolean } {
  const response = readField(answer, 'response');
  if (!isJsonObject(response)) return { fault: 'no response provided', isAnswered: false };
  const uid = readText(response, 'uid');
  const isFirst = readText(answer, 'apiVersion') === `${reviewGroup}/v1`;
  if (isFirst && uid !== question.uid) {
    return { fault: `expected response.uid=${quoteGo(question.uid)}, got ${quoteGo(uid)}`, isAnswered: false };
  }
  const status = readText(response, 'result', 'status');
  if (status !== 'Success') {
    const message = readText(response, 'result', 'message');
    const fault = message === '' ? `response.result.status was '${status}', not 'Success'` : message;
    return { fault, isAnswered: false };
  }
  const given = response['convertedObjects'];
  const converted = Array.isArray(given) ? given : [];
  const { objects, desiredApiVersion } = question;
  if (converted.length !== objects.length) {
    return { fault: `returned ${converted.length} objects, expected ${objects.length}`, isAnswered: true };
  }
  for (const [index, original] of objects.entries()) {
    const fault = checkConverted(original, converted[index] ?? null, desiredApiVersion);
    if (fault !== undefined) {
      return { fault: `returned invalid converted object at index ${index}: ${fault}`, isAnswered: true };
    }
  }
  return { objects: converted as JsonObject[] };
}
