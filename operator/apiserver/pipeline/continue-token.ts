import { parseJson } from '../../../core/decode/parse-json.ts';
import { makeBadRequestError } from '../../../core/errors/make-status-error.ts';
import { isJsonObject } from '../../../core/meta/json.ts';

/** Where a list goes on: after which key below the list's prefix, and at which revision; -1 means whatever is newest. */
export interface ContinueToken {
  readonly startAfter: string;
  readonly revision: number;
}

const TOKEN_VERSION = 'meta.k8s.io/v1';
/** Kubernetes' tokens name the first key to show: the last one shown, and a NUL. */
const SUCCESSOR = '\u0000';

/** Makes the opaque token of a page's end; `startAfter` is the last key shown, below the list's prefix. */
export function encodeContinueToken(token: ContinueToken): string {
  const text = JSON.stringify({ v: TOKEN_VERSION, rv: token.revision, start: token.startAfter + SUCCESSOR });
  return Buffer.from(text).toString('base64url');
}

function makeTokenError(fault: string) {
  return makeBadRequestError(`invalid continue token: ${fault}`);
}

/** Reads a token. Throws 400 with Kubernetes' wording for one that the API service did not make. */
export function decodeContinueToken(text: string): ContinueToken {
  const badByte = /[^A-Za-z0-9_-]/.exec(text);
  if (badByte !== null || text.length % 4 === 1) {
    const position = badByte?.index ?? text.length - 1;
    throw makeTokenError(`continue key is not valid: illegal base64 data at input byte ${position}`);
  }
  const parsed = parseJson(Buffer.from(text, 'base64url'));
  if ('fault' in parsed) throw makeTokenError(`continue key is not valid: ${parsed.fault}`);
  const { value } = parsed;
  if (value !== null && !isJsonObject(value)) {
    const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
    throw makeTokenError(
      `continue key is not valid: json: cannot unmarshal ${type} into Go value of type storage.continueToken`,
    );
  }
  const token = value ?? {};
  if (token['v'] !== TOKEN_VERSION) {
    const version = typeof token['v'] === 'string' ? token['v'] : '';
    throw makeTokenError(`continue key is not valid: server does not recognize this encoded version ${version}`);
  }
  const revision = typeof token['rv'] === 'number' && Number.isInteger(token['rv']) ? token['rv'] : 0;
  if (revision === 0) {
    throw makeTokenError('continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
  }
  const start = typeof token['start'] === 'string' ? token['start'] : '';
  if (start === '') {
    throw makeTokenError('continue key is not valid: encoded start key empty (version meta.k8s.io/v1)');
  }
  if (start.split('/').some((part, index) => part === '.' || part === '..' || (part === '' && index > 0))) {
    throw makeTokenError(`continue key is not valid: ${start}`);
  }
  const relative = start.startsWith('/') ? start.slice(1) : start;
  return { startAfter: relative.endsWith(SUCCESSOR) ? relative.slice(0, -1) : relative, revision };
}
