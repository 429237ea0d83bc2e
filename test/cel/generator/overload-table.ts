import type { FunctionFacts } from '../../oracle/oracle-protocol.ts';
import { matchTerm, parseTypeTerm, type Bindings, type TypeTerm } from './type-term.ts';

/** One way to call a function, as the oracle lists it. */
export interface Overload {
  readonly functionName: string;
  readonly id: string;
  readonly member: boolean;
  readonly parameters: readonly TypeTerm[];
  readonly result: TypeTerm;
}

/** Overloads that no source text can name: cel-go keeps them declared, and disabled, for expressions parsed long ago. */
const unreachable = /^(?:in|_in_|__not_strictly_false__)$/;

/** Overloads by what they yield. */
export class OverloadTable {
  readonly all: readonly Overload[];

  constructor(functions: FunctionFacts) {
    this.all = Object.entries(functions)
      .filter(([name]) => !unreachable.test(name))
      .flatMap(([functionName, overloads]) =>
        overloads.map(({ id, member, parameters, result }) => ({
          functionName,
          id,
          member: member === true,
          parameters: parameters.map(parseTypeTerm),
          result: parseTypeTerm(result),
        })),
      );
  }

  /** Overloads that can yield the type, with what their parameters then stand for. */
  findByResult(wanted: TypeTerm): readonly { overload: Overload; bindings: Bindings }[] {
    return this.all.flatMap((overload) => {
      const bindings = matchTerm(overload.result, wanted);
      return bindings === undefined ? [] : [{ overload, bindings }];
    });
  }
}
