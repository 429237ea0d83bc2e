import { stringify } from 'yaml';

/** Prints a value as YAML in the manner of Kubernetes: keys in order, and quotes where YAML 1.1 would read no text. */
export function formatYaml(value: unknown): string {
  return stringify(value, {
    version: '1.1',
    indentSeq: false,
    sortMapEntries: true,
    lineWidth: 80,
    aliasDuplicateObjects: false,
  });
}
