import { fixRange, type CostRange } from './cost-range.ts';
import type { SizeOfPath } from './cost-node.ts';
import type { SchemaSize } from './measure-schema.ts';

function step({ elements, keys, fields }: SchemaSize, name: string): SchemaSize | undefined {
  if (name === '@items' || name === '@values') return elements;
  return name === '@keys' ? keys : fields?.get(name);
}

/** Sizes below a variable of one schema; every variable of the expression is one of that schema. */
export function makeSizeOfPath(root: SchemaSize): SizeOfPath {
  return (path): CostRange | undefined => {
    let size: SchemaSize | undefined = root;
    for (const name of path.slice(1)) size = size && step(size, name);
    return size && { min: 0n, max: fixRange(size.maxElements).max };
  };
}
