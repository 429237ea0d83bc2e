import type { IncomingMessage } from 'node:http';

/** Two objects of the greatest size that a host takes, and what is around them. */
export const maxReviewBytes = 2 * 3 * 1024 * 1024 + 256 * 1024;

/** The whole body; `undefined` when it is too large, of which the rest is then left unread. Rejects when the caller breaks off. */
export function readLimitedBody(request: IncomingMessage, maxBytes = maxReviewBytes): Promise<Buffer | undefined> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > maxBytes) return Promise.resolve(undefined);
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) {
        request.removeAllListeners('data');
        request.pause();
        resolve(undefined);
      } else {
        chunks.push(chunk);
      }
    });
    request.once('end', () =>
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)),
    );
    request.once('error', reject);
    request.once('close', () => {
      if (!request.complete) reject(new Error('the caller broke off'));
    });
  });
}
