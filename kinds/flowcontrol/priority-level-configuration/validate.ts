import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeForbidden, makeInvalid, makeNotSupported, makeRequired } from '../../../core/errors/make-field-error.ts';
import { deriveSchema } from '../../derive-schema.ts';
import { showGoStruct } from '../../show-go-struct.ts';
import { validateFlowConditions } from '../flow-conditions.ts';
import { mandatoryPriorityLevels } from './mandatory.ts';
import { priorityLevelSpecSchema } from './schema.ts';
import type {
  ExemptPriorityLevel,
  LimitedPriorityLevel,
  PriorityLevelConfiguration,
  PriorityLevelSpec,
  QueuingConfiguration,
} from './schema.ts';

/** The most queues of one level. */
export const MAX_QUEUES = 10_000_000;
/** Bits of a flow's hash that dealing a hand may use up. */
export const MAX_HASH_BITS = 60;
const PRESERVE_ZERO_ANNOTATION = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares';
const specShape = deriveSchema(priorityLevelSpecSchema);

/** Bits of hash value that dealing hands of `handSize` out of `queues` uses up, rounded up. */
export function countEntropyBits(queues: number, handSize: number): number {
  return Math.ceil(Math.log2(queues) * handSize);
}

function validateQueuing({ queues, handSize, queueLengthLimit }: QueuingConfiguration, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (queueLengthLimit <= 0)
    errors.push(makeInvalid(path.child('queueLengthLimit'), queueLengthLimit, 'must be positive'));
  if (queues <= 0) errors.push(makeInvalid(path.child('queues'), queues, 'must be positive'));
  else if (queues > MAX_QUEUES) {
    errors.push(makeInvalid(path.child('queues'), queues, `must not be greater than ${MAX_QUEUES}`));
  }
  const handPath = path.child('handSize');
  if (handSize <= 0) errors.push(makeInvalid(handPath, handSize, 'must be positive'));
  else if (handSize > queues) {
    errors.push(makeInvalid(handPath, handSize, `should not be greater than queues (${queues})`));
  } else if (countEntropyBits(queues, handSize) > MAX_HASH_BITS) {
    const detail = `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${MAX_HASH_BITS}`;
    errors.push(makeInvalid(handPath, handSize, detail));
  }
  return errors;
}

function validateLendable(percent: number | undefined, path: FieldPath): FieldError[] {
  if (percent === undefined || (percent >= 0 && percent <= 100)) return [];
  return [makeInvalid(path, percent, 'must be between 0 and 100, inclusive')];
}

function validateShares(shares: number | undefined, path: FieldPath): FieldError[] {
  return shares !== undefined && shares < 0 ? [makeInvalid(path, shares, 'must be a non-negative integer')] : [];
}

function validateLimitResponse(
  { type, queuing }: LimitedPriorityLevel['limitResponse'],
  path: FieldPath,
): FieldError[] {
  const queuingPath = path.child('queuing');
  switch (type) {
    case 'Reject':
      if (queuing === undefined) return [];
      return [makeForbidden(queuingPath, 'must be nil if limited.limitResponse.type is not Limited')];
    case 'Queue':
      if (queuing !== undefined) return validateQueuing(queuing, queuingPath);
      return [makeRequired(queuingPath, 'must not be empty if limited.limitResponse.type is Limited')];
    default:
      return [makeNotSupported(path.child('type'), type, ['Queue', 'Reject'])];
  }
}

function validateBorrowing(percent: number | undefined, path: FieldPath): FieldError[] {
  if (percent === undefined || percent > 0) return [];
  // Kubernetes lets 0 pass; the specification asks for a positive number.
  const kind = percent === 0 ? 'positive' : 'non-negative';
  return [makeInvalid(path, percent, `if specified, must be a ${kind} integer`)];
}

function validateLimited(limited: LimitedPriorityLevel, path: FieldPath): FieldError[] {
  return [
    ...validateShares(limited.nominalConcurrencyShares, path.child('nominalConcurrencyShares')),
    ...validateLimitResponse(limited.limitResponse, path.child('limitResponse')),
    ...validateLendable(limited.lendablePercent, path.child('lendablePercent')),
    ...validateBorrowing(limited.borrowingLimitPercent, path.child('borrowingLimitPercent')),
  ];
}

function validateExempt(exempt: ExemptPriorityLevel, path: FieldPath): FieldError[] {
  return [
    ...validateShares(exempt.nominalConcurrencyShares, path.child('nominalConcurrencyShares')),
    ...validateLendable(exempt.lendablePercent, path.child('lendablePercent')),
  ];
}

function validateSpec({ type, limited, exempt }: PriorityLevelSpec, name: string, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if ((name === 'exempt') !== (type === 'Exempt')) {
    errors.push(makeInvalid(path.child('type'), type, "must be 'Exempt' if and only if `name` is 'exempt'"));
  }
  switch (type) {
    case 'Exempt':
      if (limited !== undefined) {
        errors.push(makeForbidden(path.child('limited'), 'must be nil if the type is not Limited'));
      }
      if (exempt !== undefined) errors.push(...validateExempt(exempt, path.child('exempt')));
      break;
    case 'Limited':
      if (exempt !== undefined) errors.push(makeForbidden(path.child('exempt'), 'must be nil if the type is Limited'));
      if (limited === undefined) {
        errors.push(makeRequired(path.child('limited'), 'must not be empty when type is Limited'));
      } else {
        errors.push(...validateLimited(limited, path.child('limited')));
      }
      break;
    default:
      errors.push(makeNotSupported(path.child('type'), type, ['Exempt', 'Limited']));
  }
  return errors;
}

/** A spec in one text, to tell whether two are the same; the lending of `exempt` is free. */
function printSpec(spec: PriorityLevelSpec, name: string): string {
  return JSON.stringify(showGoStruct(name === 'exempt' ? { ...spec, exempt: {} } : spec, specShape));
}

function validateMandatory(spec: PriorityLevelSpec, name: string, path: FieldPath): FieldError[] {
  const mandatory = mandatoryPriorityLevels.get(name);
  if (mandatory === undefined || printSpec(spec, name) === printSpec(mandatory, name)) return [];
  const exception = name === 'exempt' ? " except the 'spec.exempt' field" : '';
  return [makeInvalid(path, showGoStruct(spec, specShape), `spec of '${name}'${exception} must equal the fixed value`)];
}

/** Faults of a level, new or changed ("PriorityLevelConfiguration"). The specs of the mandatory ones are fixed. */
export function validatePriorityLevel(level: PriorityLevelConfiguration): FieldError[] {
  const path = FieldPath.root('spec');
  const name = level.metadata.name ?? '';
  const errors: FieldError[] = [];
  if (Object.hasOwn(level.metadata.annotations ?? {}, PRESERVE_ZERO_ANNOTATION)) {
    const annotations = FieldPath.root('metadata', 'annotations');
    errors.push(makeForbidden(annotations, `annotation '${PRESERVE_ZERO_ANNOTATION}' is forbidden`));
  }
  return [
    ...errors,
    ...validateSpec(level.spec, name, path),
    ...validateMandatory(level.spec, name, path),
    ...validatePriorityLevelStatus(level),
  ];
}

/** Faults of a level's status. */
export function validatePriorityLevelStatus({ status }: PriorityLevelConfiguration): FieldError[] {
  return validateFlowConditions(status.conditions, FieldPath.root('status', 'conditions'));
}
