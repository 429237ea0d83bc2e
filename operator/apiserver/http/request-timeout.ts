import { parseGoDuration } from '../../../core/time/parse-go-duration.ts';

/** How long a request may take that is no watch, in milliseconds. */
export const REQUEST_TIMEOUT_MILLIS = 60_000;

/** How long a request may take, in milliseconds: as long as its client says, if that is less than the bound; or why it says nothing. */
export function parseTimeout(query: URLSearchParams): number | { readonly fault: string } {
  const text = query.get('timeout') ?? '';
  if (text === '') return REQUEST_TIMEOUT_MILLIS;
  const parsed = parseGoDuration(text);
  if ('fault' in parsed) return parsed;
  return parsed.millis > 0 ? Math.min(parsed.millis, REQUEST_TIMEOUT_MILLIS) : REQUEST_TIMEOUT_MILLIS;
}
