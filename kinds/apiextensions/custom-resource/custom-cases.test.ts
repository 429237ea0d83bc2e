import { describe, expect, it } from 'vitest';
import { encodeJson } from '../../../core/decode/encode-json.ts';
import type { JsonValue } from '../../../core/meta/json.ts';
import { allCases } from './testdata/all-cases.ts';
import { answerWrite } from './testdata/answer-write.ts';
import answers from './testdata/answers.json' with { type: 'json' };
import type { CustomAnswer } from './testdata/custom-case.ts';

const recorded = answers as unknown as Readonly<Record<string, readonly CustomAnswer[]>>;

describe.for(allCases.map((one) => ({ name: one.name, one })))('$name', ({ name, one }) => {
  it.for(one.writes.map((write, index) => ({ index, write, expected: recorded[name]?.[index] })))(
    'answers write $index as a real API server does',
    ({ index, write, expected }) => {
      const answer = answerWrite(one, write, index);
      // Numbers come from the record as they come from a parser.
      expect(JSON.parse(encodeJson(answer as unknown as JsonValue))).toEqual(expected);
    },
  );
});
