import { findInJson } from '../../../../core/json-path/find-in-json.ts';
import type { JsonPath } from '../../../../core/json-path/json-path.ts';
import { parseJsonPath } from '../../../../core/json-path/parse-json-path.ts';
import { formatDouble } from '../../../../core/cel/values/format-double.ts';
import { formatGoJson } from '../../../../core/errors/quote-go.ts';
import type { JsonObject, JsonValue } from '../../../../core/meta/json.ts';
import type { KubeObject } from '../../../../core/meta/kube-object.ts';
import { parseTime } from '../../../../core/time/time.ts';
import { formatAge } from '../../../format-age.ts';
import type { PrinterColumn, PrintRow } from '../../../kind-definition.ts';
import { creationText, nameColumn } from '../../../printer-columns.ts';
import type { DefinedColumn } from '../../custom-resource-definition/custom-resource-definition.ts';
import { sortKeys } from '../sort-keys.ts';

const defaultColumns: readonly DefinedColumn[] = [
  {
    name: 'Age',
    type: 'date',
    description: creationText,
    jsonPath: '.metadata.creationTimestamp',
  },
];

/** Columns of a Table, and how its rows are filled. */
export interface PrintedColumns {
  readonly columns: readonly PrinterColumn[];
  readonly printRow: PrintRow<KubeObject>;
}

/** The name and the columns of a definition, in place of which the age stands when it has none; those after a wrong path are left out. */
export function printColumns(definedColumns: readonly DefinedColumn[] | undefined): PrintedColumns {
  const printed: { readonly column: PrinterColumn; readonly path: JsonPath }[] = [];
  for (const defined of (definedColumns ?? []).length === 0 ? defaultColumns : (definedColumns ?? [])) {
    const path = parseJsonPath(defined.jsonPath);
    if ('fault' in path) break;
    printed.push({ column: describeColumn(defined), path });
  }
  return {
    columns: [nameColumn, ...printed.map(({ column }) => column)],
    printRow: (object, nowMillis) => [
      object.metadata.name ?? '',
      ...printed.map(({ column, path }) => printCell(path, column.type, object as KubeObject & JsonObject, nowMillis)),
    ],
  };
}

function describeColumn({ name, type, format, description, priority, jsonPath }: DefinedColumn): PrinterColumn {
  const shown = description === undefined || description === '' ? undefined : description;
  return {
    name,
    type: type as PrinterColumn['type'],
    ...(format === undefined || format === '' ? {} : { format }),
    description: shown ?? `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    priority: priority ?? 0,
  };
}

function printCell(
  path: JsonPath,
  type: PrinterColumn['type'],
  object: JsonObject,
  nowMillis: number,
): string | number | boolean | null {
  const value = findInJson(path, object)?.[0];
  if (value === undefined) return null;
  if (type === 'string') return printText(value);
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  switch (type) {
    case 'integer':
      return isNumber ? Math.trunc(Number(value)) : null;
    case 'number':
      return isNumber ? Number(value) : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    default:
      return typeof value === 'string' ? printDate(value, nowMillis) : null;
  }
}

function printText(value: JsonValue): string {
  // A path to null finds no value that Go could print.
  if (value === null) return '<no value>';
  if (typeof value === 'object') return formatGoJson(sortKeys(value));
  return typeof value === 'number' && !Number.isInteger(value) ? formatDouble(value) : String(value);
}

function printDate(text: string, nowMillis: number): string {
  if (text === '' || text === 'null') return '<unknown>';
  return parseTime(text) === undefined ? '<invalid>' : formatAge(text, nowMillis);
}
