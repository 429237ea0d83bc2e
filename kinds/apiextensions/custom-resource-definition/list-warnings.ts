import { quoteGo } from '../../../core/errors/quote-go.ts';
import type { CustomResourceDefinition } from './custom-resource-definition.ts';
import { toInternalSpec } from './internal-spec.ts';
import { visitSchemas } from './visit-schemas.ts';

/** Formats that values are checked against, without their dashes. */
const knownFormats = new Set(
  [
    'bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn isbn10 isbn13 creditcard ssn hexcolor',
    'rgbcolor byte password date duration datetime',
  ].flatMap((names) => names.split(' ')),
);

/** Formats of texts that nothing is checked against, where they stand. */
function listUnknownFormats({ spec }: CustomResourceDefinition): string[] {
  const formats: string[] = [];
  const { shared, versions } = toInternalSpec(spec);
  for (const { schema } of [shared, ...versions]) {
    visitSchemas(schema?.openAPIV3Schema, ({ type, format = '' }) => {
      if (type === 'string' && format !== '' && !knownFormats.has(format.replaceAll('-', ''))) formats.push(format);
    });
  }
  return formats;
}

/** Warnings of a definition that is new, or that changes an old one: formats that nothing is checked against. */
export function listDefinitionWarnings(definition: CustomResourceDefinition, old?: CustomResourceDefinition): string[] {
  const known = new Set(old === undefined ? [] : listUnknownFormats(old));
  return listUnknownFormats(definition)
    .filter((format) => !known.has(format))
    .map((format) => `unrecognized format ${quoteGo(format)}`);
}
