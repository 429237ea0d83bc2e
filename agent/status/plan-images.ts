import type { RuntimeImage } from '../cri/container-runtime.ts';
import type { NodeImage } from './agent-node.ts';

const maxImages = 50;
const maxNames = 5;

/** The largest images of a node, at most 50, with at most 5 of their names each. */
export function planImages(images: readonly RuntimeImage[]): NodeImage[] {
  return images
    .toSorted((left, right) => right.sizeBytes - left.sizeBytes)
    .slice(0, maxImages)
    .map(({ digests, tags, sizeBytes }) => ({ names: [...digests, ...tags].slice(0, maxNames), sizeBytes }));
}
