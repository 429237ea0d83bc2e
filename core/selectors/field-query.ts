import type { QueryFault } from './label-query.ts';

/** One term of a field selector. */
export interface FieldQueryRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** A parsed `fieldSelector` parameter; all requirements must hold. */
export interface FieldQuery {
  readonly requirements: readonly FieldQueryRequirement[];
}

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let term = '';
  let isEscaped = false;
  for (const character of text) {
    if (!isEscaped && character === ',') {
      terms.push(term);
      term = '';
      continue;
    }
    term += character;
    isEscaped = !isEscaped && character === '\\';
  }
  terms.push(term);
  return terms.toSorted();
}

function unescapeValue(text: string): string | QueryFault {
  let value = '';
  let isEscaped = false;
  for (const character of text) {
    if (isEscaped) {
      if (!'\\,='.includes(character)) {
        return { fault: `invalid field selector: invalid escape sequence: \\${character}` };
      }
      value += character;
      isEscaped = false;
    } else if (character === '\\') {
      isEscaped = true;
    } else if (character === ',' || character === '=') {
      return { fault: `invalid field selector: unescaped character in value: ${character.codePointAt(0)}` };
    } else {
      value += character;
    }
  }
  return isEscaped ? { fault: 'invalid field selector: invalid escape sequence: \\' } : value;
}

/** Parses a `fieldSelector` parameter (`a=b,c!=d`, with `\` before `\`, `,` and `=` in values); an empty text selects everything. */
export function parseFieldQuery(text: string): FieldQuery | QueryFault {
  const requirements: FieldQueryRequirement[] = [];
  for (const term of splitTerms(text)) {
    if (term === '') continue;
    const match = /^([^]*?)(!=|==|=)([^]*)$/.exec(term);
    if (match === null) return { fault: `invalid selector: '${text}'; can't understand '${term}'` };
    const [, field = '', operator = '=', escaped = ''] = match;
    const value = unescapeValue(escaped);
    if (typeof value !== 'string') return value;
    // Go's parser takes a requirement on nothing for none.
    if (field === '' && value === '') continue;
    requirements.push({ field, operator: operator === '!=' ? '!=' : '=', value });
  }
  return { requirements };
}

/** Whether an object's selectable fields satisfy a query; an absent field reads as empty. */
export function matchesFieldQuery(query: FieldQuery, fields: Readonly<Record<string, string>>): boolean {
  return query.requirements.every(({ field, operator, value }) => {
    const actual = Object.hasOwn(fields, field) ? (fields[field] ?? '') : '';
    return (actual === value) === (operator === '=');
  });
}

/** The value that a query pins a field to (`metadata.name=a`); `undefined` when it does not. */
export function findExactValue(query: FieldQuery, field: string): string | undefined {
  return query.requirements.find((term) => term.field === field && term.operator === '=')?.value;
}
