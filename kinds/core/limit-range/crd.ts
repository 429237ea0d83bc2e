import type { JsonObject } from '../../../core/meta/json.ts';
import type { CrdNotes, CrdRule } from '../../crd-notes.ts';
import { qualifiedNameField } from '../../crd-fields.ts';
import { amountsField, DECIMAL_REFUSED, listTexts, readQuantityOf } from '../crd-amounts.ts';
import { standardContainerResources } from '../resource-names.ts';

/** Bounds of one range: a type occurs once, and most are three. */
const MAX_ITEMS = 50;
/** Resources of one bound. */
const MAX_RESOURCES = 200;

type AmountField = 'default' | 'defaultRequest' | 'max' | 'maxLimitRequestRatio' | 'min';
const amountFields: readonly AmountField[] = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'];

/** No amount of `lower` may be greater than the one of `upper` of the same resource. */
function orderRule(lower: AmountField, upper: AmountField): CrdRule {
  const [a, b] = [`self.${lower}`, `self.${upper}`];
  const compared = `${readQuantityOf(`${a}[name]`)}.compareTo(${readQuantityOf(`${b}[name]`)}) <= 0`;
  return {
    rule: `!has(${a}) || !has(${b}) || ${a}.all(name, !(name in ${b}) || ${compared})`,
    message: `${lower} must not be greater than ${upper}`,
    fieldPath: `.${lower}`,
  };
}

function containerNamesRule(field: AmountField): CrdRule {
  const names = `self.${field}`;
  const isPlain = `name in ${listTexts(standardContainerResources)} || name.startsWith('hugepages-')`;
  const isVendors = `name.contains('/') && (name.contains('kubernetes.io/') || !name.startsWith('requests.'))`;
  return {
    rule: `!(self.type in ['Pod', 'Container']) || !has(${names}) || ${names}.all(name, ${isPlain} || (${isVendors}))`,
    message: 'must be a standard resource for containers, or an extended resource',
    fieldPath: `.${field}`,
  };
}

/** Vendors' resources and huge pages cannot be overcommitted; a container's missing default is its maximum. */
function overcommitRule(field: 'default' | 'max', condition: string): CrdRule {
  const limits = `self.${field}`;
  const amounts = [`${limits}[name]`, 'self.defaultRequest[name]'].map(readQuantityOf);
  const overcommits = "(!name.contains('/') || name.contains('kubernetes.io/')) && !name.startsWith('hugepages-')";
  return {
    rule:
      `!has(${limits}) || !has(self.defaultRequest) || ${condition} || ` +
      `${limits}.all(name, !(name in self.defaultRequest) || (${overcommits}) || ${amounts.join('.compareTo(')}) == 0)`,
    message: 'default must equal defaultRequest for resources that cannot be overcommitted',
    fieldPath: '.defaultRequest',
  };
}

function podRule(field: 'default' | 'defaultRequest'): CrdRule {
  return {
    rule: `self.type != 'Pod' || !has(self.${field}) || size(self.${field}) == 0`,
    message: "may not be specified when `type` is 'Pod'",
    reason: 'FieldValueForbidden',
    fieldPath: `.${field}`,
  };
}

const ratio = (field: AmountField): string => `${readQuantityOf(`self.${field}[name]`)}.asApproximateFloat()`;
const leastLimit = `${ratio('maxLimitRequestRatio')} * ${ratio('min')}`;
const greatestLimit = `${ratio('max')} * 1.000001`;

const itemRules: readonly CrdRule[] = [
  ...amountFields.map(containerNamesRule),
  podRule('default'),
  podRule('defaultRequest'),
  orderRule('min', 'max'),
  orderRule('min', 'defaultRequest'),
  orderRule('min', 'default'),
  orderRule('defaultRequest', 'max'),
  orderRule('defaultRequest', 'default'),
  orderRule('default', 'max'),
  overcommitRule('default', 'false'),
  overcommitRule('max', "self.type != 'Container' || (has(self.default) && size(self.default) > 0)"),
  {
    rule:
      'self.type != \'PersistentVolumeClaim\' || (has(self.min) && "storage" in self.min) || ' +
      '(has(self.max) && "storage" in self.max)',
    message: 'either minimum or maximum storage value is required, but neither was provided',
    reason: 'FieldValueRequired',
  },
  {
    rule:
      '!has(self.maxLimitRequestRatio) || self.maxLimitRequestRatio.all(name, ' +
      `${readQuantityOf('self.maxLimitRequestRatio[name]')}.compareTo(quantity('1')) >= 0)`,
    message: 'ratio must not be less than 1',
    fieldPath: '.maxLimitRequestRatio',
  },
  {
    // A little above max/min passes: these are floating-point numbers.
    rule:
      '!has(self.maxLimitRequestRatio) || !has(self.min) || !has(self.max) || self.maxLimitRequestRatio.all(name, ' +
      `!(name in self.min) || !(name in self.max) || ` +
      `(sign(${readQuantityOf('self.min[name]')}) < 0 ? ${leastLimit} >= ${greatestLimit} : ${leastLimit} <= ${greatestLimit}))`,
    message: 'ratio must not be greater than max/min',
    fieldPath: '.maxLimitRequestRatio',
  },
];

function range(name: string | undefined, amounts: JsonObject): JsonObject {
  const metadata = name === undefined ? {} : { name };
  return { apiVersion: 'v1', kind: 'LimitRange', metadata, spec: { limits: [{ type: 'Container', ...amounts }] } };
}

/** What the CustomResourceDefinition of LimitRange says beyond the schema. */
export const limitRangeCrd: CrdNotes = {
  columns: [
    { name: 'Types', type: 'string', description: 'What is bounded.', priority: 0, jsonPath: '.spec.limits[*].type' },
    {
      name: 'Created At',
      type: 'date',
      description: 'When the object was created.',
      priority: 0,
      jsonPath: '.metadata.creationTimestamp',
    },
  ],
  fields: {
    spec: { default: {} },
    'spec.limits': {
      maxItems: MAX_ITEMS,
      rules: [
        {
          rule: 'self.all(item, self.exists_one(other, other.type == item.type))',
          message: 'a type may occur once',
          reason: 'FieldValueDuplicate',
        },
      ],
    },
    'spec.limits[]': { required: ['type'], rules: itemRules },
    'spec.limits[].type': {
      ...qualifiedNameField,
      rules: [
        {
          rule: "self.contains('/') || self in ['Container', 'Pod', 'PersistentVolumeClaim']",
          message: 'must be a standard limit type or fully qualified',
        },
      ],
    },
    ...Object.fromEntries(
      amountFields.map((field) => [`spec.limits[].${field}`, { ...amountsField, maxProperties: MAX_RESOURCES }]),
    ),
  },
  exceptions: [
    ...['default.max', 'defaultRequest.default', 'defaultRequest.min', 'rounding'].map((rule) => ({
      rule: `LimitRange.${rule}`,
      effect: 'not-defaulted' as const,
      reason: 'A definition cannot compute a default.',
    })),
    {
      rule: 'LimitRange.spec.limits.decimal',
      effect: 'refused',
      reason: DECIMAL_REFUSED,
      example: range('example', { max: { cpu: 0.5 } }),
    },
    {
      rule: 'LimitRange.metadata.name.absent',
      effect: 'refused',
      reason: 'A host makes up no name for a custom resource.',
      example: range(undefined, { max: { cpu: '1' } }),
    },
  ],
};
