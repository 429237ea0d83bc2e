import type { CrdFieldNotes } from '../crd-notes.ts';
import { isQualifiedName } from '../crd-fields.ts';
import { objectCountResources, standardQuotaResources } from './resource-names.ts';

/** Resources of one list; Kubernetes and its vendors know some dozens. */
const MAX_RESOURCES = 500;

/** CEL: a list of texts. */
export function listTexts(texts: Iterable<string>): string {
  return `[${[...texts].map((text) => `'${text}'`).join(', ')}]`;
}

/** CEL: the amount of an expression that yields a number or a text. */
export function readQuantityOf(expression: string): string {
  return `(type(${expression}) == string ? quantity(${expression}) : quantity('0').add(${expression}))`;
}

/** CEL: whether an amount is a whole number; `isInteger` alone takes 1000m and the greatest ones for none. */
function isWhole(expression: string): string {
  const amount = readQuantityOf(expression);
  const number = `${amount}.asApproximateFloat()`;
  return `(${amount}.isInteger() || ${number} >= 9000000000000000.0 || double(int(${number})) == ${number})`;
}

/** CEL: whether a quota knows the resource by itself. */
export function isStandardQuotaName(name: string): string {
  const isHugePages = `${name}.startsWith('hugepages-') || ${name}.startsWith('requests.hugepages-')`;
  return `(${name} in ${listTexts(standardQuotaResources)} || ${isHugePages})`;
}

/** CEL: whether the resource is a vendor's. */
function isExtendedName(name: string): string {
  return `(${name}.contains('/') && !${name}.contains('kubernetes.io/') && !${name}.startsWith('requests.'))`;
}

/** Fields of amounts by resource name that a quota may limit. */
export const quotaAmountsField: CrdFieldNotes = {
  maxProperties: MAX_RESOURCES,
  rules: [
    { rule: `self.all(name, ${isQualifiedName('name')})`, message: 'names of resources must be qualified names' },
    {
      rule: `self.all(name, name.contains('/') || ${isStandardQuotaName('name')})`,
      message: 'must be a standard resource for quota or fully qualified',
    },
    {
      rule: `self.all(name, sign(${readQuantityOf('self[name]')}) >= 0)`,
      message: 'must be greater than or equal to 0',
    },
    {
      rule:
        `self.all(name, !(name in ${listTexts(objectCountResources)} || ${isExtendedName('name')}) || ` +
        `${isWhole('self[name]')})`,
      message: 'counts of objects and of extended resources must be integers',
    },
  ],
};

/** Fields of amounts by resource name, of any resource. */
export const amountsField: CrdFieldNotes = {
  maxProperties: MAX_RESOURCES,
  rules: [
    { rule: `self.all(name, ${isQualifiedName('name')})`, message: 'names of resources must be qualified names' },
    {
      rule: `self.all(name, name.contains('/') || name == 'storage' || ${isStandardQuotaName('name')})`,
      message: 'must be a standard resource type or fully qualified',
    },
  ],
};

/** Why an amount without quotes must be a whole number. */
export const DECIMAL_REFUSED =
  'An amount is a text or a whole number: a schema has no third choice that CEL could still read. Put decimals in quotes.';
