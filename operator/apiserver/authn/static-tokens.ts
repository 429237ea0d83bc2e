import { hash } from 'node:crypto';
import type { UserInfo } from '../../../core/meta/user-info.ts';
import { StartError } from '../../../platform/process/start-error.ts';
import type { AuthenticationResult, TokenAuthenticator } from './authenticator.ts';

/** A file of static tokens that cannot be read as one; the message names the line, never a token. */
export class TokenFileError extends StartError {
  override readonly name = 'TokenFileError';

  constructor(line: number, fault: string) {
    super(`token file, line ${line}: ${fault}`);
  }
}

/** Reads one CSV record that begins at `start`; `next` is where the following one begins. */
function readRecord(text: string, start: number, line: number): { fields: string[]; next: number; lines: number } {
  const fields: string[] = [];
  let at = start;
  let lines = 0;
  for (;;) {
    let field = '';
    if (text[at] === '"') {
      at += 1;
      for (;;) {
        const end = text.indexOf('"', at);
        if (end < 0) throw new TokenFileError(line, 'a quoted field does not end');
        field += text.slice(at, end);
        at = end + 1;
        if (text[at] !== '"') break;
        field += '"';
        at += 1;
      }
      lines += field.split('\n').length - 1;
      if (at < text.length && !/[,\r\n]/.test(text[at] ?? '')) {
        throw new TokenFileError(line, 'text follows a quoted field');
      }
    } else {
      const end = /[,\n]|\r\n/g;
      end.lastIndex = at;
      const match = end.exec(text);
      field = text.slice(at, match?.index ?? text.length);
      if (field.includes('"')) throw new TokenFileError(line, 'a quote stands inside of a field that is not quoted');
      at = match?.index ?? text.length;
    }
    fields.push(field);
    if (text[at] === ',') {
      at += 1;
      continue;
    }
    if (text[at] === '\r') at += 1;
    if (text[at] === '\n') at += 1;
    return { fields, next: at, lines: lines + 1 };
  }
}

/**
 * Reads a token file in kube-apiserver's format: `token,user,uid` and optionally `"group1,group2"`, one record a line. Records with an
 * empty token are left out; of two records with one token the later wins. Throws TokenFileError.
 */
export function parseTokenFile(text: string): Map<string, UserInfo> {
  const users = new Map<string, UserInfo>();
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  let line = 1;
  while (at < text.length) {
    const { fields, next, lines } = readRecord(text, at, line);
    const [token = '', username = '', uid = '', groups] = fields;
    const isBlank = fields.length === 1 && token.trim() === '';
    if (!isBlank && fields.length < 3) {
      throw new TokenFileError(
        line,
        `must have at least 3 columns (token, user name, user uid), found ${fields.length}`,
      );
    }
    if (!isBlank && token !== '') {
      users.set(token, {
        username,
        ...(uid === '' ? {} : { uid }),
        groups: groups === undefined || groups === '' ? [] : groups.split(',').map((group) => group.trim()),
      });
    }
    at = next;
    line += lines;
  }
  return users;
}

/** Knows the tokens of a token file. Only digests are compared and kept: how long a lookup takes says nothing about a token. */
export class StaticTokenAuthenticator implements TokenAuthenticator {
  readonly #users = new Map<string, UserInfo>();
  readonly #apiAudiences: readonly string[];

  constructor(options: { readonly users: ReadonlyMap<string, UserInfo>; readonly apiAudiences: readonly string[] }) {
    this.#apiAudiences = options.apiAudiences;
    for (const [token, user] of options.users) this.#users.set(digestToken(token), user);
  }

  async authenticateToken(token: string, audiences?: readonly string[]): Promise<AuthenticationResult | undefined> {
    const user = this.#users.get(digestToken(token));
    if (user === undefined) return undefined;
    const matching = (audiences ?? this.#apiAudiences).filter((audience) => this.#apiAudiences.includes(audience));
    return matching.length === 0 ? undefined : { authenticated: true, user, audiences: matching };
  }
}

function digestToken(token: string): string {
  return hash('sha256', token, 'base64');
}
