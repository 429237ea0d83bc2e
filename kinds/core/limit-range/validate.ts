import type { FieldError } from '../../../core/errors/field-error.ts';
import { FieldPath } from '../../../core/errors/field-path.ts';
import { makeDuplicate, makeForbidden, makeInvalid, makeRequired } from '../../../core/errors/make-field-error.ts';
import {
  compareQuantities,
  quantityFromInteger,
  quantityToInteger,
  quantityToMilli,
  readQuantity,
} from '../../../core/quantity/quantity.ts';
import { checkQualifiedName } from '../../../core/validation/names.ts';
import { listResourceNames, readAmount } from '../resource-lists.ts';
import type { ResourceList } from '../resource-lists.ts';
import { isNativeResourceName, validateContainerResourceName, validateResourceName } from '../resource-names.ts';
import type { LimitRange, LimitRangeItem } from './schema.ts';

const ONE = quantityFromInteger(1);
// Above this a value in thousandths no longer fits 64 bits, and Kubernetes compares whole units.
const MAX_MILLI_VALUE = (2n ** 63n - 1n) / 1000n;

type AmountField = 'max' | 'min' | 'default' | 'defaultRequest' | 'maxLimitRequestRatio';

function validateType(type: string, path: FieldPath): FieldError[] {
  const faults = checkQualifiedName(type);
  if (faults.length > 0) return faults.map((fault) => makeInvalid(path, type, fault));
  if (!type.includes('/') && !['Pod', 'Container', 'PersistentVolumeClaim'].includes(type)) {
    return [makeInvalid(path, type, 'must be a standard limit type or fully qualified')];
  }
  return [];
}

function validateNames(item: LimitRangeItem, field: AmountField, path: FieldPath): FieldError[] {
  const validate =
    item.type === 'Pod' || item.type === 'Container' ? validateContainerResourceName : validateResourceName;
  return listResourceNames(item[field]).flatMap((name) => validate(name, path.child(field).key(name)));
}

function isGreater(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && compareQuantities(readQuantity(a), readQuantity(b)) > 0;
}

function validateRatio(ratio: string, min: string | undefined, max: string | undefined, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const ratioQuantity = readQuantity(ratio);
  if (compareQuantities(ratioQuantity, ONE) < 0) errors.push(makeInvalid(path, ratio, `ratio ${ratio} is less than 1`));
  if (min === undefined || max === undefined) return errors;
  const quantities = [ratioQuantity, readQuantity(min), readQuantity(max)] as const;
  const inMilli = quantities.every((quantity) => quantityToInteger(quantity) < MAX_MILLI_VALUE);
  const [, minValue, maxValue] = quantities.map((quantity) =>
    Number(inMilli ? quantityToMilli(quantity) : quantityToInteger(quantity)),
  );
  const ratioValue = inMilli ? Number(quantityToMilli(ratioQuantity)) / 1000 : Number(quantityToInteger(ratioQuantity));
  const greatest = (maxValue ?? 0) / (minValue ?? 0);
  if (ratioValue > greatest) {
    errors.push(makeInvalid(path, ratio, `ratio ${ratio} is greater than max/min = ${greatest.toFixed(6)}`));
  }
  return errors;
}

/** Everything that must hold between the amounts of one resource: min <= defaultRequest <= default <= max, and the ratio. */
function validateAmounts(name: string, item: LimitRangeItem, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const pathOf = (field: AmountField) => path.child(field).key(name);
  const withDefaults = item.type !== 'Pod';
  const min = readAmount(item.min, name);
  const max = readAmount(item.max, name);
  const limit = withDefaults ? readAmount(item.default, name) : undefined;
  const request = withDefaults ? readAmount(item.defaultRequest, name) : undefined;
  const ratio = readAmount(item.maxLimitRequestRatio, name);
  if (isGreater(min, max)) {
    errors.push(makeInvalid(pathOf('min'), min, `min value ${min} is greater than max value ${max}`));
  }
  if (isGreater(min, request)) {
    const detail = `min value ${min} is greater than default request value ${request}`;
    errors.push(makeInvalid(pathOf('defaultRequest'), request, detail));
  }
  if (isGreater(request, max)) {
    const detail = `default request value ${request} is greater than max value ${max}`;
    errors.push(makeInvalid(pathOf('defaultRequest'), request, detail));
  }
  if (isGreater(request, limit)) {
    const detail = `default request value ${request} is greater than default limit value ${limit}`;
    errors.push(makeInvalid(pathOf('defaultRequest'), request, detail));
  }
  // The value of the next two errors is the bound that is missed, not the default: so it is in Kubernetes.
  if (isGreater(min, limit)) {
    errors.push(makeInvalid(pathOf('default'), min, `min value ${min} is greater than default value ${limit}`));
  }
  if (isGreater(limit, max)) {
    errors.push(makeInvalid(pathOf('default'), max, `default value ${limit} is greater than max value ${max}`));
  }
  if (ratio !== undefined) errors.push(...validateRatio(ratio, min, max, pathOf('maxLimitRequestRatio')));
  const overcommits = isNativeResourceName(name) && !name.startsWith('hugepages-');
  if (!overcommits && limit !== undefined && request !== undefined) {
    if (compareQuantities(readQuantity(limit), readQuantity(request)) !== 0) {
      const detail = `default value ${limit} must equal to defaultRequest value ${request} in ${name}`;
      errors.push(makeInvalid(pathOf('defaultRequest'), request, detail));
    }
  }
  return errors;
}

function hasAny(list: ResourceList | undefined): boolean {
  return Object.keys(list ?? {}).length > 0;
}

function validateItem(item: LimitRangeItem, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [...validateNames(item, 'max', path), ...validateNames(item, 'min', path)];
  const fields: AmountField[] = ['max', 'min', 'maxLimitRequestRatio'];
  if (item.type === 'Pod') {
    for (const field of ['default', 'defaultRequest'] as const) {
      if (hasAny(item[field])) {
        errors.push(makeForbidden(path.child(field), "may not be specified when `type` is 'Pod'"));
      }
    }
  } else {
    errors.push(...validateNames(item, 'default', path), ...validateNames(item, 'defaultRequest', path));
    fields.push('default', 'defaultRequest');
  }
  if (item.type === 'PersistentVolumeClaim') {
    if (readAmount(item.min, 'storage') === undefined && readAmount(item.max, 'storage') === undefined) {
      const detail = 'either minimum or maximum storage value is required, but neither was provided';
      errors.push(makeRequired(path.child('limits'), detail));
    }
  }
  errors.push(...validateNames(item, 'maxLimitRequestRatio', path));
  const names = new Set(fields.flatMap((field) => listResourceNames(item[field])));
  return [...errors, ...[...names].sort().flatMap((name) => validateAmounts(name, item, path))];
}

/** Faults of a range, new or changed ("LimitRange"). */
export function validateLimitRange(range: LimitRange): FieldError[] {
  const path = FieldPath.root('spec', 'limits');
  const types = new Set<string>();
  return (range.spec.limits ?? []).flatMap((item, i) => {
    const errors = validateType(item.type, path.index(i).child('type'));
    if (types.has(item.type)) errors.push(makeDuplicate(path.index(i).child('type'), item.type));
    types.add(item.type);
    return [...errors, ...validateItem(item, path.index(i))];
  });
}
