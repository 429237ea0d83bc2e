import { addRanges, fixRange, maxUint64, multiplyRanges, scaleRange, type CostRange } from './cost-range.ts';
import { listCost, literalInteger, sizeOfNode, textFactor, type CallCost, type CostedCall } from './cost-node.ts';

function makeList(size: CostRange, factor: number): CallCost {
  return { cost: addRanges(scaleRange(size, factor), fixRange(1), fixRange(listCost)), resultSize: size };
}

function square(size: CostRange): CostRange {
  return multiplyRanges(size, size);
}

function compareSets({ arguments: [left, right], sizeOfPath }: CostedCall, factor: number): CallCost | undefined {
  if (left === undefined || right === undefined) return undefined;
  const product = multiplyRanges(sizeOfNode(left, sizeOfPath), sizeOfNode(right, sizeOfPath));
  return { cost: addRanges(scaleRange(product, factor), fixRange(1)) };
}

function readCount(call: CostedCall, index: number, absent: bigint): bigint {
  const node = call.arguments[index];
  const value = node === undefined ? undefined : literalInteger(node);
  if (value === undefined) return absent;
  return value < 0n ? 0n : value;
}

function sliceList(call: CostedCall, size: CostRange): CallCost {
  const length = readCount(call, 1, size.max) - readCount(call, 0, 0n);
  return makeList(fixRange(BigInt.asUintN(64, length)), 1);
}

function sortList(size: CostRange, overload: string): CallCost {
  const isText = /^list_(?:string|bytes)_/.test(overload);
  return makeList(square(size), 2 + (isText ? textFactor : 0));
}

/** Cost of calls of cel-go's libraries of sets and lists; `undefined` for others. */
export function estimateLibraryCall(call: CostedCall): CallCost | undefined {
  const { overload, target, sizeOfPath } = call;
  const size = target === undefined ? undefined : sizeOfNode(target, sizeOfPath);
  switch (overload) {
    case 'list_sets_contains_list':
    case 'list_sets_intersects_list':
      return compareSets(call, 1);
    case 'list_sets_equivalent_list':
      return compareSets(call, 2);
    case 'lists_range':
      return makeList(fixRange(readCount(call, 0, maxUint64)), 1);
    case 'list_slice':
      return size && sliceList(call, size);
    case 'list_reverse':
      return size && makeList(size, 1);
    case 'list_flatten':
      return size && makeList(size, 1);
    case 'list_flatten_int':
      return size && makeList(size, Number(readCount(call, 0, maxUint64)));
    case 'list_distinct':
      return size && makeList(square(size), 2);
    default:
      break;
  }
  if (/^list_.*_sort$/.test(overload)) return size && sortList(size, overload);
  const [keys] = call.arguments;
  if (!/^list_.*_sortByAssociatedKeys$/.test(overload) || keys === undefined) return undefined;
  return sortList(sizeOfNode(keys, sizeOfPath), overload);
}
