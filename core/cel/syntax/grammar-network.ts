import {
  grammar,
  type GrammarAlternative,
  type GrammarPart,
  type GrammarRule,
  type RuleName,
  ruleNames,
} from './grammar.ts';

/** What a recovery does at a state depends on its kind. */
export type StateKind = 'basic' | 'blockStart' | 'loopEntry' | 'loopBack' | 'ruleStop';

export type Transition =
  | { readonly type: 'epsilon'; readonly target: State; readonly leavesOutermost?: RuleName }
  | { readonly type: 'token'; readonly kinds: ReadonlySet<number>; readonly target: State }
  | {
      readonly type: 'rule';
      readonly rule: RuleName;
      readonly target: State;
      readonly follow: State;
      readonly precedence: number;
    }
  | { readonly type: 'precedence'; readonly precedence: number; readonly target: State };

/** A state of the network of a grammar. */
export interface State {
  readonly id: number;
  readonly kind: StateKind;
  readonly rule: RuleName;
  readonly transitions: Transition[];
  /** Of the entry of the loop of a left-recursive rule: where an iteration ends. */
  iterationEnd?: State;
}

/** A part of a rule with its states. */
export type PlacedPart =
  | {
      readonly type: 'token';
      readonly state: State;
      readonly kinds: ReadonlySet<number>;
      readonly label?: string;
      readonly isMany: boolean;
    }
  | {
      readonly type: 'rule';
      readonly state: State;
      readonly rule: RuleName;
      readonly precedence: number;
      readonly label?: string;
      readonly isMany: boolean;
    }
  | { readonly type: 'optional'; readonly state: State; readonly parts: readonly PlacedPart[]; readonly first: State }
  | {
      readonly type: 'star' | 'plus';
      /** Where the loop is entered. */
      readonly state: State;
      readonly back: State;
      readonly first: State;
      readonly isAdaptive: boolean;
      readonly parts: readonly PlacedPart[];
    };

/** A part that may be left out or repeated. */
export type PlacedGroup = PlacedPart & { readonly type: 'optional' | 'star' | 'plus' };

export interface PlacedAlternative {
  readonly name: string;
  readonly first: State;
  readonly parts: readonly PlacedPart[];
}

/** A rule with its states. */
export interface PlacedRule {
  readonly name: RuleName;
  readonly start: State;
  readonly stop: State;
  readonly isAdaptive: boolean;
  /** Where alternatives are chosen; absent when there is one. */
  readonly choice?: State;
  readonly alternatives: readonly PlacedAlternative[];
  /** The loop of a left-recursive rule. */
  readonly loop?: {
    readonly entry: State;
    readonly back: State;
    /** Where suffixes are chosen; absent when there is one. */
    readonly choice?: State;
    readonly suffixes: readonly (PlacedAlternative & { readonly precedence: number; readonly test: State })[];
  };
}

class NetworkBuilder {
  readonly rules = new Map<RuleName, PlacedRule>();
  readonly #starts = new Map<RuleName, State>();
  readonly #stops = new Map<RuleName, State>();
  readonly #calls: { rule: RuleName; follow: State; precedence: number }[] = [];
  #count = 0;
  #rule: RuleName = 'start';

  build(): ReadonlyMap<RuleName, PlacedRule> {
    for (const name of ruleNames) {
      this.#rule = name;
      this.#starts.set(name, this.#makeState());
      this.#stops.set(name, this.#makeState('ruleStop'));
    }
    for (const name of ruleNames) {
      this.#rule = name;
      this.rules.set(name, this.#placeRule(name, grammar[name]));
    }
    for (const { rule, follow, precedence } of this.#calls) {
      const isOutermost = grammar[rule].suffixes !== undefined && precedence === 0;
      const target = isOutermost ? { target: follow, leavesOutermost: rule } : { target: follow };
      this.#stops.get(rule)!.transitions.push({ type: 'epsilon', ...target });
    }
    return this.rules;
  }

  #makeState(kind: StateKind = 'basic', ...transitions: Transition[]): State {
    return { id: this.#count++, kind, rule: this.#rule, transitions };
  }

  #leadTo(target: State, kind: StateKind = 'basic'): State {
    return this.#makeState(kind, { type: 'epsilon', target });
  }

  #placeRule(name: RuleName, rule: GrammarRule): PlacedRule {
    const start = this.#starts.get(name)!;
    const stop = this.#stops.get(name)!;
    const loop = rule.suffixes === undefined ? undefined : this.#placeSuffixes(rule.suffixes, stop);
    const end = this.#leadTo(loop?.entry ?? stop);
    const alternatives = rule.alternatives.map((each) => this.#placeAlternative(each, end));
    const base = { name, start, stop, isAdaptive: rule.isAdaptive === true, alternatives };
    const enter = (target: State): void => void start.transitions.push({ type: 'epsilon', target });
    if (alternatives.length === 1) {
      enter(alternatives[0]!.first);
      return loop === undefined ? base : { ...base, loop };
    }
    const choice = this.#makeState('blockStart', ...alternatives.map(({ first }) => leadTo(first)));
    enter(choice);
    return { ...base, choice };
  }

  #placeSuffixes(suffixes: NonNullable<GrammarRule['suffixes']>, stop: State): NonNullable<PlacedRule['loop']> {
    const entry = this.#makeState('loopEntry');
    const back = this.#leadTo(entry, 'loopBack');
    const iterationEnd = this.#leadTo(back);
    entry.iterationEnd = iterationEnd;
    const placed = suffixes.map((suffix) => {
      const alternative = this.#placeAlternative(suffix, iterationEnd);
      const test = this.#makeState('basic', {
        type: 'precedence',
        precedence: suffix.precedence,
        target: alternative.first,
      });
      return { ...alternative, precedence: suffix.precedence, test };
    });
    const choice = this.#makeState('blockStart', ...placed.map(({ test }) => leadTo(test)));
    entry.transitions.push(leadTo(choice), leadTo(this.#leadTo(stop)));
    return placed.length === 1 ? { entry, back, suffixes: placed } : { entry, back, choice, suffixes: placed };
  }

  #placeAlternative(alternative: GrammarAlternative, end: State): PlacedAlternative {
    const { first, parts } = this.#placeParts(alternative.parts, end);
    return { name: alternative.name, first, parts };
  }

  #placeParts(parts: readonly GrammarPart[], end: State): { first: State; parts: PlacedPart[] } {
    let first = end;
    const placed: PlacedPart[] = [];
    for (const part of parts.toReversed()) {
      const each = this.#placePart(part, first);
      placed.unshift(each);
      first = each.state;
    }
    return { first, parts: placed };
  }

  #placePart(part: GrammarPart, next: State): PlacedPart {
    switch (part.type) {
      case 'token': {
        const kinds = new Set(part.kinds);
        const state = this.#makeState('basic', { type: 'token', kinds, target: next });
        const base = { type: part.type, state, kinds, isMany: part.isMany === true };
        return part.label === undefined ? base : { ...base, label: part.label };
      }
      case 'rule': {
        const { rule, precedence } = part;
        this.#calls.push({ rule, precedence, follow: next });
        const target = this.#starts.get(rule)!;
        const state = this.#makeState('basic', { type: 'rule', rule, precedence, target, follow: next });
        const base = { type: part.type, state, rule, precedence, isMany: part.isMany === true };
        return part.label === undefined ? base : { ...base, label: part.label };
      }
      case 'optional': {
        const end = this.#leadTo(next);
        const { first, parts } = this.#placeParts(part.parts, end);
        const state = this.#makeState('blockStart', leadTo(first), leadTo(end));
        return { type: part.type, state, parts, first };
      }
      case 'star': {
        const entry = this.#makeState('loopEntry');
        const back = this.#leadTo(entry, 'loopBack');
        const { first, parts } = this.#placeParts(part.parts, this.#leadTo(back));
        entry.transitions.push(leadTo(this.#makeState('blockStart', leadTo(first))), leadTo(this.#leadTo(next)));
        return { type: part.type, state: entry, back, first, isAdaptive: part.isAdaptive, parts };
      }
      default: {
        const back = this.#makeState('loopBack');
        const { first, parts } = this.#placeParts(part.parts, this.#leadTo(back));
        const state = this.#makeState('blockStart', leadTo(first));
        back.transitions.push(leadTo(state), leadTo(this.#leadTo(next)));
        return { type: part.type, state, back, first, isAdaptive: part.isAdaptive, parts };
      }
    }
  }
}

function leadTo(target: State): Transition {
  return { type: 'epsilon', target };
}

let built: ReadonlyMap<RuleName, PlacedRule> | undefined;

/** The rules with their states; built when first asked for. */
export function placeRules(): ReadonlyMap<RuleName, PlacedRule> {
  built ??= new NetworkBuilder().build();
  return built;
}

/** Stands in a set of expected tokens for the end of the rule. */
export const endOfRule = -2;

const nextTokens = new Map<State, ReadonlySet<number>>();

/** The kinds of tokens that may come at a state within its rule; `endOfRule` when the rule may end there. */
export function listNextTokens(state: State): ReadonlySet<number> {
  let found = nextTokens.get(state);
  if (found === undefined) {
    const tokens = new Set<number>();
    collectNextTokens(state, tokens, new Set());
    found = tokens;
    nextTokens.set(state, found);
  }
  return found;
}

function collectNextTokens(state: State, tokens: Set<number>, seen: Set<State>): void {
  if (seen.has(state)) return;
  seen.add(state);
  if (state.kind === 'ruleStop') {
    tokens.add(endOfRule);
    return;
  }
  for (const transition of state.transitions) {
    if (transition.type === 'token') {
      for (const kind of transition.kinds) tokens.add(kind);
      continue;
    }
    if (transition.type !== 'rule') {
      collectNextTokens(transition.target, tokens, seen);
      continue;
    }
    const ofRule = new Set<number>();
    collectNextTokens(transition.target, ofRule, new Set());
    for (const kind of ofRule) if (kind !== endOfRule) tokens.add(kind);
  }
}
