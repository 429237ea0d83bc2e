import { endOfInput, tokenKind as kind } from './token-kind.ts';

/** A piece of a rule. Labels name what a parse tree keeps; `isMany`: as an array. `isAdaptive`: one token does not decide. */
export type GrammarPart =
  | { readonly type: 'token'; readonly kinds: readonly number[]; readonly label?: string; readonly isMany?: true }
  | {
      readonly type: 'rule';
      readonly rule: RuleName;
      readonly precedence: number;
      readonly label?: string;
      readonly isMany?: true;
    }
  | { readonly type: 'optional'; readonly parts: readonly GrammarPart[] }
  | { readonly type: 'star' | 'plus'; readonly parts: readonly GrammarPart[]; readonly isAdaptive: boolean };

/** One way to write a rule; the name is that of its node. */
export interface GrammarAlternative {
  readonly name: string;
  readonly parts: readonly GrammarPart[];
}

/** What may follow an operand of a left-recursive rule, by falling precedence. */
export interface GrammarSuffix extends GrammarAlternative {
  readonly precedence: number;
}

/** A rule; with `suffixes` it is left-recursive. `isAdaptive`: one token does not decide between the alternatives. */
export interface GrammarRule {
  readonly alternatives: readonly GrammarAlternative[];
  readonly isAdaptive?: true;
  readonly suffixes?: readonly GrammarSuffix[];
}

/** The rules in the order of their numbers. */
export const ruleNames = [
  'start',
  'expression',
  'or',
  'and',
  'relation',
  'calculation',
  'unary',
  'member',
  'primary',
  'arguments',
  'listItems',
  'fields',
  'field',
  'mapEntries',
  'name',
  'optionalExpression',
  'literal',
] as const;

export type RuleName = (typeof ruleNames)[number];

const token = (tokenKind: number, label?: string): GrammarPart =>
  label === undefined ? { type: 'token', kinds: [tokenKind] } : { type: 'token', kinds: [tokenKind], label };
const tokens = (tokenKind: number, label: string): GrammarPart => ({
  type: 'token',
  kinds: [tokenKind],
  label,
  isMany: true,
});
const anyToken = (kinds: readonly number[], label: string): GrammarPart => ({ type: 'token', kinds, label });
const rule = (name: RuleName, label: string, precedence = 0): GrammarPart => ({
  type: 'rule',
  rule: name,
  precedence,
  label,
});
const rules = (name: RuleName, label: string): GrammarPart => ({
  type: 'rule',
  rule: name,
  precedence: 0,
  label,
  isMany: true,
});
const optional = (...parts: readonly GrammarPart[]): GrammarPart => ({ type: 'optional', parts });
const star = (...parts: readonly GrammarPart[]): GrammarPart => ({ type: 'star', parts, isAdaptive: false });
const adaptiveStar = (...parts: readonly GrammarPart[]): GrammarPart => ({ type: 'star', parts, isAdaptive: true });
const way = (name: string, ...parts: readonly GrammarPart[]): GrammarAlternative => ({ name, parts });
const suffix = (precedence: number, name: string, ...parts: readonly GrammarPart[]): GrammarSuffix => ({
  precedence,
  name,
  parts,
});
const only = (...parts: readonly GrammarPart[]): GrammarRule => ({ alternatives: [way('', ...parts)] });

const listEnd = (close: number): GrammarPart[] => [optional(token(kind.comma)), token(close)];
const relations = [kind.equals, kind.notEquals, kind.in, kind.less, kind.lessEquals, kind.greaterEquals, kind.greater];

/** The grammar of the language, laid out as cel-go's, because its faults show that layout. */
export const grammar: Readonly<Record<RuleName, GrammarRule>> = {
  start: only(rule('expression', 'value'), token(endOfInput)),
  expression: only(
    rule('or', 'value'),
    optional(token(kind.question, 'operator'), rule('or', 'yes'), token(kind.colon), rule('expression', 'no')),
  ),
  or: only(rule('and', 'value'), star(tokens(kind.or, 'operators'), rules('and', 'more'))),
  and: only(rule('relation', 'value'), star(tokens(kind.and, 'operators'), rules('relation', 'more'))),
  relation: {
    alternatives: [way('', rule('calculation', 'value'))],
    suffixes: [suffix(1, 'operation', anyToken(relations, 'operator'), rule('relation', 'right', 2))],
  },
  calculation: {
    alternatives: [way('', rule('unary', 'value'))],
    suffixes: [
      suffix(
        2,
        'operation',
        anyToken([kind.star, kind.slash, kind.percent], 'operator'),
        rule('calculation', 'right', 3),
      ),
      suffix(1, 'operation', anyToken([kind.minus, kind.plus], 'operator'), rule('calculation', 'right', 2)),
    ],
  },
  unary: {
    isAdaptive: true,
    alternatives: [
      way('pass', rule('member', 'value')),
      way(
        'not',
        { type: 'plus', parts: [tokens(kind.exclamation, 'operators')], isAdaptive: false },
        rule('member', 'value'),
      ),
      way(
        'negate',
        { type: 'plus', parts: [tokens(kind.minus, 'operators')], isAdaptive: true },
        rule('member', 'value'),
      ),
    ],
  },
  member: {
    alternatives: [way('pass', rule('primary', 'value'))],
    suffixes: [
      suffix(3, 'select', token(kind.dot, 'operator'), optional(token(kind.question, 'mark')), rule('name', 'field')),
      suffix(
        2,
        'memberCall',
        token(kind.dot, 'operator'),
        token(kind.identifier, 'name'),
        token(kind.leftParen, 'open'),
        optional(rule('arguments', 'values')),
        token(kind.rightParen),
      ),
      suffix(
        1,
        'index',
        token(kind.leftBracket, 'operator'),
        optional(token(kind.question, 'mark')),
        rule('expression', 'index'),
        token(kind.rightBracket),
      ),
    ],
  },
  primary: {
    isAdaptive: true,
    alternatives: [
      way('identifier', optional(token(kind.dot, 'dot')), token(kind.identifier, 'name')),
      way(
        'call',
        optional(token(kind.dot, 'dot')),
        token(kind.identifier, 'name'),
        token(kind.leftParen, 'open'),
        optional(rule('arguments', 'values')),
        token(kind.rightParen),
      ),
      way('nested', token(kind.leftParen), rule('expression', 'value'), token(kind.rightParen)),
      way('list', token(kind.leftBracket, 'open'), optional(rule('listItems', 'items')), ...listEnd(kind.rightBracket)),
      way('map', token(kind.leftBrace, 'open'), optional(rule('mapEntries', 'entries')), ...listEnd(kind.rightBrace)),
      way(
        'message',
        optional(token(kind.dot, 'dot')),
        tokens(kind.identifier, 'names'),
        star(token(kind.dot), tokens(kind.identifier, 'names')),
        token(kind.leftBrace, 'open'),
        optional(rule('fields', 'entries')),
        ...listEnd(kind.rightBrace),
      ),
      way('constant', rule('literal', 'value')),
    ],
  },
  arguments: only(rules('expression', 'values'), star(token(kind.comma), rules('expression', 'values'))),
  listItems: only(
    rules('optionalExpression', 'items'),
    adaptiveStar(token(kind.comma), rules('optionalExpression', 'items')),
  ),
  fields: only(
    rules('field', 'fields'),
    tokens(kind.colon, 'colons'),
    rules('expression', 'values'),
    adaptiveStar(
      token(kind.comma),
      rules('field', 'fields'),
      tokens(kind.colon, 'colons'),
      rules('expression', 'values'),
    ),
  ),
  field: only(optional(token(kind.question, 'mark')), rule('name', 'name')),
  mapEntries: only(
    rules('optionalExpression', 'keys'),
    tokens(kind.colon, 'colons'),
    rules('expression', 'values'),
    adaptiveStar(
      token(kind.comma),
      rules('optionalExpression', 'keys'),
      tokens(kind.colon, 'colons'),
      rules('expression', 'values'),
    ),
  ),
  name: {
    alternatives: [way('plain', token(kind.identifier, 'name')), way('escaped', token(kind.escapedIdentifier, 'name'))],
  },
  optionalExpression: only(optional(token(kind.question, 'mark')), rule('expression', 'value')),
  literal: {
    isAdaptive: true,
    alternatives: [
      way('int', optional(token(kind.minus, 'sign')), token(kind.int, 'token')),
      way('uint', token(kind.uint, 'token')),
      way('double', optional(token(kind.minus, 'sign')), token(kind.float, 'token')),
      way('string', token(kind.string, 'token')),
      way('bytes', token(kind.bytes, 'token')),
      way('true', token(kind.true, 'token')),
      way('false', token(kind.false, 'token')),
      way('null', token(kind.null, 'token')),
    ],
  },
};
