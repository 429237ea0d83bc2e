import { describe, expect, it } from 'vitest';

import { EventLoopYield } from '../../../platform/process/event-loop-yield.ts';
import { encodeOpenApiProtobuf } from './encode-openapi-protobuf.ts';
import recorded from './testdata/openapi-v2.json' with { type: 'json' };

describe('encodeOpenApiProtobuf', () => {
  it('writes what the Go library of these documents writes', async () => {
    const { info, paths, definitions, securityDefinitions, security } = recorded.document;
    const bytes = await encodeOpenApiProtobuf(
      {
        ...{ info, securityDefinitions, security },
        paths: Object.entries(paths),
        definitions: Object.entries(definitions),
      },
      new EventLoopYield(),
    );
    expect(bytes.toString('hex')).toBe(recorded.protobuf.join(''));
  });

  it('leaves out what such a document cannot say', async () => {
    const encode = (definition: object): Promise<Buffer> =>
      encodeOpenApiProtobuf(
        { ...{ info: {}, securityDefinitions: {}, security: [], paths: [] }, definitions: [['A', definition]] },
        new EventLoopYield(),
      );
    expect(await encode({ type: 'string', oneOf: [{ type: 'string' }] })).toEqual(await encode({ type: 'string' }));
  });
});
