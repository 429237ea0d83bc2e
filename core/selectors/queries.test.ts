import { describe, expect, it } from 'vitest';
import { findExactValue, matchesFieldQuery, parseFieldQuery } from './field-query.ts';
import { matchesLabelQuery, parseLabelQuery } from './label-query.ts';
import fieldTable from './testdata/field-queries.json' with { type: 'json' };
import labelTable from './testdata/label-queries.json' with { type: 'json' };

interface Row {
  text: string;
  fault?: string;
  matches?: boolean[];
}

// Faults and matches in both tables are what Kubernetes' own parsers answer.
describe('parseLabelQuery', () => {
  it.for(labelTable.queries as Row[])('$text', (row) => {
    const query = parseLabelQuery(row.text);
    if ('fault' in query) {
      expect(query.fault).toBe(row.fault);
      return;
    }
    const labels = labelTable.labels as Record<string, string>[];
    expect(labels.map((set) => matchesLabelQuery(query, set))).toEqual(row.matches);
  });
});

describe('parseFieldQuery', () => {
  it.for(fieldTable.queries as Row[])('$text', (row) => {
    const query = parseFieldQuery(row.text);
    if ('fault' in query) {
      expect(query.fault).toBe(row.fault);
      return;
    }
    const fields = fieldTable.fields as Record<string, string>[];
    expect(fields.map((set) => matchesFieldQuery(query, set))).toEqual(row.matches);
  });

  it('finds the value that a field is pinned to', () => {
    const query = parseFieldQuery('metadata.name=a,spec.nodeName!=b');
    expect('fault' in query || findExactValue(query, 'metadata.name')).toBe('a');
    expect('fault' in query || findExactValue(query, 'spec.nodeName')).toBeUndefined();
  });
});
