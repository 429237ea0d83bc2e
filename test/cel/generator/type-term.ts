/** A type as the oracle writes it, such as `map(string, list(<A>))`; a parameter's name is in angle brackets. */
export interface TypeTerm {
  readonly name: string;
  readonly parameters: readonly TypeTerm[];
}

/** What type parameters stand for. */
export type Bindings = ReadonlyMap<string, TypeTerm>;

/** Reads a type; throws when the text is none. */
export function parseTypeTerm(text: string): TypeTerm {
  const { term, rest } = readTerm(text);
  if (rest !== '') throw new Error(`no type: ${text}`);
  return term;
}

function readTerm(text: string): { term: TypeTerm; rest: string } {
  const end = text.search(/[(),]/);
  if (end < 0 || text[end] !== '(') {
    const stop = end < 0 ? text.length : end;
    return { term: { name: text.slice(0, stop).trim(), parameters: [] }, rest: text.slice(stop) };
  }
  const parameters: TypeTerm[] = [];
  let rest = text.slice(end);
  while (rest[0] === '(' || rest[0] === ',') {
    const read = readTerm(rest.slice(1).trimStart());
    parameters.push(read.term);
    rest = read.rest;
  }
  return { term: { name: text.slice(0, end).trim(), parameters }, rest: rest.slice(1) };
}

/** Writes a type as the oracle reads it. */
export function formatTypeTerm({ name, parameters }: TypeTerm): string {
  return parameters.length === 0 ? name : `${name}(${parameters.map(formatTypeTerm).join(', ')})`;
}

/** Whether the type is a parameter of an overload. */
function isParameter({ name }: TypeTerm): boolean {
  return name.startsWith('<');
}

/** What parameters of `pattern` must stand for so that it is `wanted`; `undefined`: it cannot be. */
export function matchTerm(pattern: TypeTerm, wanted: TypeTerm, known: Bindings = new Map()): Bindings | undefined {
  if (isParameter(pattern)) {
    const bound = known.get(pattern.name);
    if (bound === undefined) return new Map([...known, [pattern.name, wanted]]);
    return formatTypeTerm(bound) === formatTypeTerm(wanted) ? known : undefined;
  }
  if (pattern.name !== wanted.name || pattern.parameters.length !== wanted.parameters.length) return undefined;
  let bindings: Bindings | undefined = known;
  for (const [i, parameter] of pattern.parameters.entries()) {
    if (bindings === undefined) return undefined;
    bindings = matchTerm(parameter, wanted.parameters[i]!, bindings);
  }
  return bindings;
}

/** The type with its parameters replaced; one that stands for nothing becomes `fill()`, and stands for that from then on. */
export function substitute(term: TypeTerm, bindings: Map<string, TypeTerm>, fill: () => TypeTerm): TypeTerm {
  if (isParameter(term)) {
    const bound = bindings.get(term.name) ?? fill();
    bindings.set(term.name, bound);
    return bound;
  }
  return { name: term.name, parameters: term.parameters.map((parameter) => substitute(parameter, bindings, fill)) };
}
