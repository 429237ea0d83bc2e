import { tokenKind } from './token-kind.ts';

/** Names of the calls that relations become, by the operator's kind. */
export const relationOperators: ReadonlyMap<number, string> = new Map([
  [tokenKind.less, '_<_'],
  [tokenKind.lessEquals, '_<=_'],
  [tokenKind.greaterEquals, '_>=_'],
  [tokenKind.greater, '_>_'],
  [tokenKind.equals, '_==_'],
  [tokenKind.notEquals, '_!=_'],
  [tokenKind.in, '@in'],
]);

/** Names of the calls that calculations become, by the operator's kind. */
export const calculationOperators: ReadonlyMap<number, string> = new Map([
  [tokenKind.star, '_*_'],
  [tokenKind.slash, '_/_'],
  [tokenKind.percent, '_%_'],
  [tokenKind.plus, '_+_'],
  [tokenKind.minus, '_-_'],
]);
