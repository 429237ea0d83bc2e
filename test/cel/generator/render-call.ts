import type { Overload } from './overload-table.ts';

const infix: Readonly<Record<string, string>> = {
  '_+_': '+',
  '_-_': '-',
  '_*_': '*',
  '_/_': '/',
  '_%_': '%',
  '_==_': '==',
  '_!=_': '!=',
  '_<_': '<',
  '_<=_': '<=',
  '_>_': '>',
  '_>=_': '>=',
  '_&&_': '&&',
  '_||_': '||',
  '@in': 'in',
};

/** An operand that keeps its meaning whatever stands beside it. */
export function parenthesize(text: string): string {
  return /^[\w.]+$|^'[^']*'$|^"[^"]*"$|^\w+\([^()]*\)$/.test(text) ? text : `(${text})`;
}

/** The source text of a call; `space` parts operators from operands, `wrap` parenthesizes these. Internal functions are called by the macro that needs them. */
export function renderCall(
  { functionName, member }: Overload,
  values: readonly string[],
  space: string,
  wrap: (operand: string) => string,
): string {
  const [first = '', second = '', third = ''] = values;
  const operator = infix[functionName];
  if (operator !== undefined) {
    const gap = operator === 'in' && space === '' ? ' ' : space;
    return `${wrap(first)}${gap}${operator}${gap}${wrap(second)}`;
  }
  switch (functionName) {
    case '!_':
      return `!${wrap(first)}`;
    case '-_':
      return `-(${first})`;
    case '_?_:_':
      return `${wrap(first)}${space}?${space}${wrap(second)}${space}:${space}${wrap(third)}`;
    case '_[_]':
      return `${wrap(first)}[${second}]`;
    case '_[?_]':
      return `${wrap(first)}[?${second}]`;
    case '_?._':
      return `${wrap(first)}.?${/^'\w+'$/.test(second) ? second.slice(1, -1) : 'key'}`;
    case '@not_strictly_false':
      return `[${first}].all(q, q)`;
    case 'cel.@mapInsert':
      return third === ''
        ? `{1: 2, 3: 4}.transformMapEntry(k, v, ${second})`
        : `${wrap(first)}.transformMap(k, v, ${third})`;
    default:
      return member
        ? `${wrap(first)}.${functionName}(${values.slice(1).join(`,${space}`)})`
        : `${functionName}(${values.join(`,${space}`)})`;
  }
}
