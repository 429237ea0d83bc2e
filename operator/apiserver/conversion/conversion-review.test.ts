import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../../core/meta/json.ts';
import { makeConversionReview, readConversionReview, type ConversionQuestion } from './conversion-review.ts';

const original = {
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { name: 'a', namespace: 'n', uid: '1', labels: { a: 'b' }, finalizers: ['example.com/f'] },
};
const question: ConversionQuestion = {
  uid: 'q',
  desiredApiVersion: 'example.com/v2',
  objects: [original],
  reviewVersions: ['v1'],
};
const converted: JsonObject = {
  ...original,
  apiVersion: 'example.com/v2',
  metadata: { name: 'a', namespace: 'n', uid: '1', labels: { c: 'd' }, annotations: null, finalizers: [] },
};

function answer(objects: readonly JsonValue[], more: JsonObject = {}): JsonObject {
  const response = { uid: 'q', result: { status: 'Success' }, convertedObjects: [...objects], ...more };
  return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', response };
}

describe('a conversion review', () => {
  it('is of the first version that is known', () => {
    expect(makeConversionReview({ ...question, reviewVersions: ['v9', 'v1beta1', 'v1'] })).toMatchObject({
      apiVersion: 'apiextensions.k8s.io/v1beta1',
      request: { uid: 'q', desiredAPIVersion: 'example.com/v2', objects: [original] },
    });
    expect(makeConversionReview({ ...question, reviewVersions: ['v9'] })).toEqual({
      fault: 'no supported conversion review versions',
    });
  });

  it('lets the webhook change labels and annotations of the metadata only', () => {
    const read = readConversionReview(answer([structuredClone(converted)]), question);
    const { annotations: _, ...metadata } = converted['metadata'] as JsonObject;
    expect(read).toEqual({ objects: [{ ...converted, metadata: { ...metadata, finalizers: ['example.com/f'] } }] });
  });

  it.for<[string, JsonValue, string]>([
    ['nothing', {}, 'no response provided'],
    ['another review', answer([converted], { uid: 'r' }), 'expected response.uid="q", got "r"'],
    ['a refusal', answer([], { result: { status: 'Failure', message: 'not today' } }), 'not today'],
    ['no result', answer([], { result: {} }), "response.result.status was '', not 'Success'"],
    ['too few', answer([]), 'returned 0 objects, expected 1'],
    [
      'another version',
      answer([original]),
      'returned invalid converted object at index 0: invalid groupVersion (expected example.com/v2, received example.com/v1)',
    ],
    [
      'another object',
      answer([{ ...converted, metadata: { name: 'b', namespace: 'n', uid: '1' } }]),
      'returned invalid converted object at index 0: must have the same name: a != b',
    ],
    [
      'an object without metadata',
      answer([{ apiVersion: 'example.com/v2', kind: 'Thing' }]),
      'returned invalid converted object at index 0: must have the same name: a != ',
    ],
    [
      'labels that are no texts',
      answer([{ ...converted, metadata: { name: 'a', namespace: 'n', uid: '1', labels: { a: 1 } } }]),
      'returned invalid converted object at index 0: metadata.labels[a] must be a string',
    ],
  ])('refuses %s', ([, given, fault]) => {
    expect(readConversionReview(given, question)).toMatchObject({ fault });
  });
});
