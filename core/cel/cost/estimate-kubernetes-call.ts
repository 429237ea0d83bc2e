import { isSameType } from '../types/compare-cel-types.ts';
import { listTypeParameters } from '../types/format-cel-type.ts';
import { addRanges, fixRange, maxUint64, multiplyRanges, scaleRange, zeroRange, type CostRange } from './cost-range.ts';
import {
  fixCall,
  listCost,
  literalInteger,
  messageCost,
  patternFactor,
  sizeOfNode,
  textFactor,
  type CallCost,
  type CostedCall,
  type CostNode,
} from './cost-node.ts';

type EstimateCall = (call: CostedCall) => CallCost | undefined;

const checkCost = 350_000;
const longestFormatPattern = 128;
const longestFormat = 64n;

/** Size of an argument; `undefined` when there is none. */
function sizeOfArgument({ arguments: nodes, sizeOfPath }: CostedCall, index: number): CostRange | undefined {
  const node = nodes[index];
  return node && sizeOfNode(node, sizeOfPath);
}

function sizeOfTarget({ target, sizeOfPath }: CostedCall): CostRange | undefined {
  return target && sizeOfNode(target, sizeOfPath);
}

const one: EstimateCall = () => fixCall(1);
const check: EstimateCall = () => fixCall(checkCost);

/** Reads a text that is an argument once, or `times`. */
function readArgument(times = 1): EstimateCall {
  return (call) => {
    const size = sizeOfArgument(call, 0);
    return size && { cost: scaleRange(size, times * textFactor) };
  };
}

const parseUrl: EstimateCall = (call) => {
  const size = sizeOfArgument(call, 0);
  return size && { cost: scaleRange(size, textFactor), resultSize: size };
};

const changeText: EstimateCall = (call) => {
  const size = sizeOfTarget(call);
  return size && { cost: scaleRange(size, textFactor), resultSize: size };
};

const parseSelector: EstimateCall = (call) => {
  const size = sizeOfArgument(call, 0);
  if (size === undefined) return undefined;
  const requirements = scaleRange(scaleRange(size, 0.5), Number(listCost + messageCost));
  return { cost: addRanges(fixRange(listCost), scaleRange(size, textFactor), requirements) };
};

/** The items of a list, or the keys of a map; `undefined` for what has no parts. */
function elementOf({ type, path }: CostNode): CostNode | undefined {
  const element = type === undefined ? undefined : listTypeParameters(type)[0];
  if (element === undefined) return undefined;
  return { type: element, ...(path === undefined ? {} : { path: path.copy().append('@items') }) };
}

const compareItems: EstimateCall = (call) => {
  const { target, sizeOfPath } = call;
  const size = sizeOfTarget(call);
  if (target === undefined || size === undefined) return undefined;
  const element = elementOf(target);
  if (element === undefined) return { cost: scaleRange(size, textFactor) };
  const isText = element.type?.kind === 'string' || element.type?.kind === 'bytes';
  const text = isText ? scaleRange(sizeOfNode(element, sizeOfPath), textFactor) : zeroRange;
  return { cost: multiplyRanges(size, addRanges(fixRange(1), text)) };
};

function divideUp(size: bigint, by: bigint): bigint {
  const quotient = BigInt(Math.ceil(Number(size) / Number(by)));
  // What Go makes of a number that does not fit, where Kubernetes is built for amd64.
  return quotient > maxUint64 ? 2n ** 63n : quotient;
}

/** How often something of a size is replaced, and how much stays: at most when `isMost`. */
function countReplacements(size: bigint, replaced: bigint, isNeverLonger: boolean): { count: bigint; kept: bigint } {
  if (replaced === 0n) return { count: size < maxUint64 ? size + 1n : size, kept: size };
  return isNeverLonger ? { count: 0n, kept: size } : { count: divideUp(size, replaced), kept: 0n };
}

const replaceText: EstimateCall = (call) => {
  const size = sizeOfTarget(call);
  const [replaced, replacement] = [sizeOfArgument(call, 0), sizeOfArgument(call, 1)];
  if (size === undefined || replaced === undefined || replacement === undefined) return undefined;
  const most = countReplacements(size.max, replaced.min, replacement.max <= replaced.min);
  const least = countReplacements(size.min, replaced.max, replaced.max <= replacement.min);
  const count = { min: least.count, max: most.count };
  const resultSize = addRanges(multiplyRanges(count, replacement), { min: least.kept, max: most.kept });
  return { cost: scaleRange(size, 2 * textFactor), resultSize };
};

const splitText: EstimateCall = (call) => {
  const size = sizeOfTarget(call);
  const limit = call.arguments[1] && literalInteger(call.arguments[1]);
  const max = limit === undefined ? size?.max : BigInt.asUintN(64, limit);
  return size && { cost: scaleRange(size, 2 * textFactor), resultSize: { min: 0n, max: max ?? maxUint64 } };
};

const joinTexts: EstimateCall = (call) => {
  const { target, sizeOfPath } = call;
  const count = sizeOfTarget(call);
  if (target === undefined || count === undefined) return undefined;
  const element = elementOf(target);
  let size = element === undefined ? zeroRange : multiplyRanges(count, sizeOfNode(element, sizeOfPath));
  const separator = sizeOfArgument(call, 0);
  if (separator !== undefined) {
    const between = (items: bigint): bigint => (items > 0n ? items - 1n : 0n);
    size = addRanges(size, multiplyRanges(separator, { min: between(count.min), max: between(count.max) }));
  }
  return { cost: scaleRange(size, textFactor), resultSize: size };
};

const findText: EstimateCall = (call) => {
  const size = sizeOfTarget(call);
  const pattern = sizeOfArgument(call, 0);
  if (size === undefined || pattern === undefined) return undefined;
  const text = scaleRange(addRanges(size, fixRange(1)), textFactor);
  const cost = multiplyRanges(text, scaleRange(pattern, patternFactor));
  return { cost, resultSize: { min: 0n, max: size.max } };
};

/** Bytes of addresses. */
const addressSize: CostRange = { min: 4n, max: 16n };

function compareAddresses(parsedOverload: string, times: number, extra: number): EstimateCall {
  return (call) => {
    const size = sizeOfArgument(call, 0);
    if (size === undefined) return undefined;
    const compared = scaleRange(addRanges(addressSize, addressSize), textFactor);
    const masked = times > 1 ? scaleRange(addressSize, textFactor) : zeroRange;
    const parsed = call.overload === parsedOverload ? scaleRange(size, textFactor) : zeroRange;
    return { cost: addRanges(compared, masked, fixRange(extra), parsed) };
  };
}

const validateFormat: EstimateCall = (call) => {
  const size = sizeOfArgument(call, 0);
  return size && { cost: scaleRange(scaleRange(size, textFactor), longestFormatPattern * patternFactor) };
};

const cheapTypes: ReadonlySet<string> = new Set([
  'net.IP',
  'net.CIDR',
  'kubernetes.Quantity',
  'kubernetes.Semver',
  ...['Authorizer', 'PathCheck', 'GroupCheck', 'ResourceCheck', 'Decision'].map(
    (name) => `kubernetes.authorization.${name}`,
  ),
]);

const compareValues: EstimateCall = ({ arguments: [left, right] }) => {
  if (left?.type === undefined || right?.type === undefined || !isSameType(left.type, right.type)) return undefined;
  const name = left.type.kind === 'object' || left.type.kind === 'opaque' ? left.type.name : '';
  if (cheapTypes.has(name)) return fixCall(1);
  if (name === 'kubernetes.NamedFormat') return { cost: scaleRange({ min: 1n, max: longestFormat }, textFactor) };
  if (name !== 'kubernetes.URL') return undefined;
  // Kubernetes looks at the right side only.
  return { cost: scaleRange({ min: 1n, max: right.size?.max ?? 1n }, textFactor) };
};

const estimateIp: EstimateCall = (call) => (call.overload === 'cidr_ip' ? fixCall(1) : readArgument()(call));

const groups: readonly (readonly [names: string, estimate: EstimateCall])[] = [
  ['check', check],
  ['serviceAccount path group resource subresource namespace name allowed reason error errored', one],
  ['fieldSelector labelSelector', parseSelector],
  ['isSorted sum max min indexOf lastIndexOf', compareItems],
  ['url jsonpatch.escapeKey', parseUrl],
  ['lowerAscii upperAscii substring trim', changeText],
  ['replace', replaceText],
  ['split', splitText],
  ['join', joinTexts],
  ['find findAll', findText],
  ['cidr isIP isCIDR quantity isQuantity semver isSemver', readArgument()],
  ['ip', estimateIp],
  ['ip.isCanonical', readArgument(2)],
  ['masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast', one],
  ['containsIP', compareAddresses('cidr_contains_ip_string', 1, 0)],
  ['containsCIDR', compareAddresses('cidr_contains_cidr_string', 2, 1)],
  ['validate', validateFormat],
  [
    'format.named sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor patch',
    one,
  ],
  ['getScheme getHostname getHost getPort getEscapedPath getQuery', one],
  ['_==_', compareValues],
];

const estimates: ReadonlyMap<string, EstimateCall> = new Map(
  groups.flatMap(([names, estimate]) => names.split(' ').map((name) => [name, estimate] as const)),
);

/** Cost of calls that Kubernetes prices itself; `undefined` for others. */
export function estimateKubernetesCall(call: CostedCall): CallCost | undefined {
  return estimates.get(call.name)?.(call);
}
