import { endOfRule, listNextTokens, type State } from './grammar-network.ts';
import type { TreeNode } from './parse-tree.ts';
import { endOfInput } from './token-kind.ts';

/** The state after a rule that is invoked at a state. */
export function followOf(state: State): State {
  const transition = state.transitions[0]!;
  if (transition.type !== 'rule') throw new Error('a rule is invoked at a state that does not invoke one');
  return transition.follow;
}

/** What may come at a state within a node, and after the rules around it where they may end. */
export function listExpectedTokens(state: State, within: TreeNode | undefined): ReadonlySet<number> {
  let following = listNextTokens(state);
  if (!following.has(endOfRule)) return following;
  const expected = new Set(following);
  for (let node = within; node?.invokedAt !== undefined && following.has(endOfRule); node = node.parent) {
    following = listNextTokens(followOf(node.invokedAt));
    for (const kind of following) expected.add(kind);
  }
  expected.delete(endOfRule);
  if (following.has(endOfRule)) expected.add(endOfInput);
  return expected;
}

/** What may come after any of the rules around a node: where a parse goes on after a fault. */
export function listRecoveryTokens(within: TreeNode | undefined): ReadonlySet<number> {
  const wanted = new Set<number>();
  for (let node = within; node?.invokedAt !== undefined; node = node.parent) {
    for (const kind of listNextTokens(followOf(node.invokedAt))) wanted.add(kind);
  }
  wanted.delete(endOfRule);
  return wanted;
}
