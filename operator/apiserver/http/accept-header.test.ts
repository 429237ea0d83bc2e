import { describe, expect, it } from 'vitest';
import { negotiateErrorFormat, negotiateFormat, negotiateListFormat, negotiateStreamFormat } from './accept-header.ts';

const table = { kind: 'Table', apiVersion: 'meta.k8s.io/v1' };

describe('negotiateFormat', () => {
  it.for<[string | undefined, object]>([
    [undefined, { format: 'json', pretty: false }],
    ['', { format: 'json', pretty: false }],
    ['*/*', { format: 'json', pretty: false }],
    ['application/json', { format: 'json', pretty: false }],
    ['application/json; charset=utf-8', { format: 'json' }],
    ['application/yaml', { format: 'yaml' }],
    ['application/yaml;q=0.5, application/json;q=0.4', { format: 'yaml' }],
    ['application/json;q=0.1,application/yaml', { format: 'yaml' }],
    ['text/html, */*;q=0.1', { format: 'json' }],
    ['application/json;pretty=1', { format: 'json', pretty: true }],
    ['application/vnd.kubernetes.protobuf,application/json', { format: 'json' }],
    ['application/json;as=Table;v=v1;g=meta.k8s.io', { format: 'json', convert: table }],
    ['application/json;as=Table;v=v1;g=meta.k8s.io,application/json', { convert: table }],
    [
      'application/json;as=Table;v=v1beta1;g=meta.k8s.io',
      { convert: { kind: 'Table', apiVersion: 'meta.k8s.io/v1beta1' } },
    ],
    ['application/json;as=Other;v=v1;g=meta.k8s.io,application/json', { format: 'json', pretty: false }],
    [
      'application/yaml;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
      { format: 'yaml', convert: { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' } },
    ],
  ])('%s', ([header, expected]) => {
    expect(negotiateFormat(header, 'all')).toMatchObject(expected);
  });

  it.for([
    ['application/xml', '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml'],
    ['application/*', '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml'],
    ['application/vnd.kubernetes.protobuf', '406: Not Acceptable'],
    [
      'application/json;as=Table;v=v9;g=meta.k8s.io',
      'only the following media types are accepted: application/json, application/yaml',
    ],
    ['application/json;sv=v9', 'only the following media types are accepted'],
    ['APPLICATION/JSON', '406: Not Acceptable'],
    ['application/json;as="Table";v="v1";g="meta.k8s.io"', 'only the following media types are accepted'],
  ] as const)('%s is not acceptable', ([header, message]) => {
    expect(() => negotiateFormat(header, 'all')).toThrow(message);
  });

  it('offers no conversion where there is none', () => {
    expect(() => negotiateFormat('application/json;as=Table;v=v1;g=meta.k8s.io', 'none')).toThrow('only the following');
  });

  it('offers metadata alone where Tables are not', () => {
    expect(negotiateFormat('application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io', 'metadata')).toMatchObject({
      convert: { kind: 'PartialObjectMetadata' },
    });
    expect(() => negotiateFormat('application/json;as=Table;v=v1;g=meta.k8s.io', 'metadata')).toThrow('only the');
  });
});

describe('negotiateListFormat', () => {
  it('names the streams that a collection has', () => {
    expect(() => negotiateListFormat('text/html')).toThrow(
      'Available representations: application/json, application/yaml, application/json;stream=watch',
    );
  });
});

describe('negotiateStreamFormat', () => {
  it('streams JSON only', () => {
    expect(negotiateStreamFormat('application/json;stream=watch').format).toBe('json');
    expect(() => negotiateStreamFormat('application/yaml')).toThrow('application/json;stream=watch');
  });
});

describe('negotiateErrorFormat', () => {
  it('falls back to JSON', () => {
    expect(negotiateErrorFormat('application/xml').format).toBe('json');
    expect(negotiateErrorFormat('application/yaml').format).toBe('yaml');
    expect(negotiateErrorFormat('application/yaml;as=Table;v=v1;g=meta.k8s.io').format).toBe('json');
  });
});
