import { isJsonObject } from '../../core/meta/json.ts';

/** Whom a token says that it is meant for, which nobody has verified; empty when it is no signed token, or says nothing. */
export function readTokenAudiences(token: string): string[] {
  const [, claims = '', signature] = token.split('.', 4);
  if (signature === undefined) return [];
  try {
    const value: unknown = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8'));
    const audiences = isJsonObject(value) ? value['aud'] : undefined;
    return [audiences].flat().filter((one) => typeof one === 'string');
  } catch {
    return [];
  }
}
