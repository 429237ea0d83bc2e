import { quoteGo } from '../../core/errors/quote-go.ts';
import type { JsonObject } from '../../core/meta/json.ts';
import type { OwnRoute } from './host-route.ts';

const versionMismatch = /^the API version in the data \((.*)\) does not match the expected API version \((.*)\)$/;

/** Puts the client's names into a Status's message where it tells the API group or version of the request; changes it in place. */
export function renameMessage(status: JsonObject, { kind, renaming, apiVersion, hostApiVersion }: OwnRoute): void {
  const { message } = status;
  if (typeof message !== 'string' || renaming === undefined) return;
  const swap = (text: string): string =>
    text === hostApiVersion ? apiVersion : text === apiVersion ? hostApiVersion : text;
  status['message'] = message
    .replace(`in API group ${quoteGo(renaming.resource.group)}`, `in API group ${quoteGo(kind.group)}`)
    .replace(
      versionMismatch,
      (_match, given: string, expected: string) =>
        `the API version in the data (${swap(given)}) does not match the expected API version (${swap(expected)})`,
    );
}
