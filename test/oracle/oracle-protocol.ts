import type { JsonValue } from '../../core/meta/json.ts';

/** A value with its type: `{int: '1'}`, `{double: 1.5}`, `{list: […]}`, `{map: [[key, value], …]}`, `{opaque: [type, text]}`. */
export type TypedValue = Readonly<Record<string, JsonValue>>;

/** A variable: what it is declared as (`dyn` when nothing is said) and what it holds; without a value it is declared only. */
export interface OracleVariable {
  readonly type?: string;
  /** An OpenAPI schema, which declares the type; `type` then names it, or is `dyn`. */
  readonly schema?: JsonValue;
  /** With `schema`: the value behaves as the schema says (set and map lists), as in the rules of a CRD. */
  readonly wrapped?: boolean;
  readonly json?: JsonValue;
  readonly value?: TypedValue;
}

/** What a scripted authorizer answers to one question. */
export interface OracleDecision {
  readonly decision?: 'allow' | 'deny';
  readonly reason?: string;
  readonly error?: string;
}

/** One question to the oracle; an expression, unless it says otherwise. */
export interface OracleRequest {
  readonly expression: string;
  /** Kubernetes compiles what is written in an older environment than what is stored already. */
  readonly mode?: 'new' | 'stored';
  readonly variables?: Readonly<Record<string, OracleVariable>>;
  readonly container?: string;
  readonly disableMacros?: boolean;
  readonly disableCheck?: boolean;
  readonly checkOnly?: boolean;
  readonly limit?: number;
  readonly ast?: boolean;
  readonly benchMillis?: number;
  /** Functions declared in addition; the oracle knows them in conformance tests only. */
  readonly functions?: FunctionFacts;
  /** Asks for the functions of the environment instead. */
  readonly environment?: boolean;
  /** The environment of a ValidatingAdmissionPolicy instead of declared variables. */
  readonly policy?: { readonly params?: boolean; readonly authorizer?: boolean };
  readonly compositions?: readonly { readonly name: string; readonly expression: string }[];
  readonly authorizer?: {
    readonly user: { readonly name: string; readonly groups?: readonly string[] };
    /** By the question, as the oracle's `asked` shows it. */
    readonly decisions: Readonly<Record<string, OracleDecision>>;
    readonly requestResource?: Readonly<
      Record<'name' | 'namespace' | 'group' | 'version' | 'resource' | 'subresource', string>
    >;
  };
}

/** A fault as cel-go reports it: lines from 1, columns from 0. */
export interface OracleFault {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Functions of an environment by name. */
export type FunctionFacts = Readonly<Record<string, readonly OverloadFact[]>>;

/** One way to call a function; types are texts. */
export interface OverloadFact {
  readonly id: string;
  readonly member?: boolean;
  readonly parameters: readonly string[];
  readonly result: string;
}

/** What Kubernetes' engine makes of an expression; `failure`: the question itself was wrong. */
export interface OracleAnswer {
  readonly failure?: string;
  readonly faults?: readonly OracleFault[];
  readonly text?: string;
  readonly type?: string;
  readonly result?: TypedValue;
  readonly error?: string;
  readonly cost?: number;
  readonly asked?: readonly string[];
  readonly nanosPerEvaluation?: number;
  /** Ids of all overloads that the checker left to some call. */
  readonly overloads?: readonly string[];
  readonly functions?: FunctionFacts;
}
