import { isPrintable } from '../errors/quote-go.ts';

const MAX_BYTES = 128;

/**
 * The manager recorded for a write: the query parameter `fieldManager`, else what precedes the first `/` of the User-Agent,
 * without unprintable characters and at most 128 bytes long; may be empty.
 */
export function chooseFieldManager(fieldManager: string | undefined, userAgent: string | undefined): string {
  if (fieldManager) return fieldManager;
  const prefix = (userAgent ?? '').split('/', 1)[0]!;
  let name = '';
  let bytes = 0;
  for (const character of prefix) {
    if (!isPrintable(character)) continue;
    const size = Buffer.byteLength(character);
    if (bytes + size > MAX_BYTES) break;
    name += character;
    bytes += size;
  }
  return name;
}
