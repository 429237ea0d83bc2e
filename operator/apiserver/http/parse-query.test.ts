import { describe, expect, it } from 'vitest';

import { parseQuery } from './parse-query.ts';

describe('parseQuery', () => {
  it.for<[string, [string, string][]]>([
    ['', []],
    ['limit=1&continue=a%2Fb', [['limit', '1'], ['continue', 'a/b']]], // prettier-ignore
    ['watch', [['watch', '']]],
    ['?watch=1&?', [['?watch', '1'], ['?', '']]], // prettier-ignore
    ['%&?watch=1', [['?watch', '1']]],
    ['limit=%zz&watch=1', [['watch', '1']]],
    ['limit=1;watch=1&dryRun=All', [['dryRun', 'All']]],
    ['a=%4&b=%&c=%41', [['c', 'A']]],
  ])('%s', ([text, pairs]) => {
    expect([...parseQuery(text)]).toEqual(pairs);
  });
});
