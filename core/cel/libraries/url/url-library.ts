import { boolType, makeListType, makeMapType, makeObjectType, stringType } from '../../types/cel-type.ts';
import { ArrayList } from '../../values/array-list.ts';
import { CelError, CelOpaque, type CelResult, type CelValue } from '../../values/cel-value.ts';
import { makeValueMap } from '../../values/value-map.ts';
import type { CelFunction, CelLibrary } from '../cel-library.ts';
import { boundWork, costByName, makeFunction } from '../make-function.ts';
import { costOfReading } from '../traversal-cost.ts';
import { fromByteString } from './byte-string.ts';
import { type ParsedUrl, parseRequestUri, parseUrl } from './parse-url.ts';
import { encodePath, formatUrl, readQuery, splitHost } from './read-url.ts';

const urlType = makeObjectType('kubernetes.URL');

class UrlValue extends CelOpaque {
  readonly type = urlType;
  readonly url: ParsedUrl;

  constructor(url: ParsedUrl) {
    super();
    this.url = url;
  }

  equals(other: CelValue): boolean | CelError {
    if (!(other instanceof UrlValue)) return new CelError('no such overload');
    return formatUrl(this.url) === formatUrl(other.url);
  }
}

function convertToUrl(text: string): CelResult {
  const request = parseRequestUri(text);
  const url = 'fault' in request ? request : parseUrl(text);
  if ('fault' in url) return new CelError(`URL parse error during conversion from string: ${url.fault}`);
  return new UrlValue(url);
}

function makeReading(name: string, id: string, read: (url: ParsedUrl) => string): CelFunction {
  const call = ({ url }: UrlValue): CelResult => fromByteString(read(url));
  return makeFunction(name, [{ id, isMember: true, parameters: [urlType], result: stringType, call }]);
}

function getQuery({ url }: UrlValue): CelResult {
  return makeValueMap(Array.from(readQuery(url), ([key, values]) => [key, new ArrayList(values)] as const));
}

/** In units of 100 ns for each code unit, as measured for a URL that is all escapes. */
const parsingWork = 4;

/** Kubernetes' `kubernetes.urls`. */
export const urlLibrary: CelLibrary = {
  name: 'kubernetes.urls',
  functions: [
    boundWork(
      costByName(
        makeFunction('url', [
          { id: 'string_to_url', isMember: false, parameters: [stringType], result: urlType, call: convertToUrl },
        ]),
        costOfReading,
      ),
      parsingWork,
    ),
    makeReading('getScheme', 'url_get_scheme', (url) => url.scheme),
    makeReading('getHost', 'url_get_host', (url) => url.host),
    makeReading('getHostname', 'url_get_hostname', (url) => splitHost(url).hostname),
    makeReading('getPort', 'url_get_port', (url) => splitHost(url).port),
    makeReading('getEscapedPath', 'url_get_escaped_path', encodePath),
    makeFunction('getQuery', [
      {
        id: 'url_get_query',
        isMember: true,
        parameters: [urlType],
        result: makeMapType(stringType, makeListType(stringType)),
        call: getQuery,
      },
    ]),
    boundWork(
      makeFunction('isURL', [
        {
          id: 'is_url_string',
          isMember: false,
          parameters: [stringType],
          result: boolType,
          call: (text: string) => !('fault' in parseRequestUri(text)),
        },
      ]),
      parsingWork,
    ),
  ],
};
