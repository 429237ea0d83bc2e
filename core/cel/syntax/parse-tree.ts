import type { State } from './grammar-network.ts';
import type { RuleName } from './grammar.ts';
import type { ReturnStack } from './return-stack.ts';

/** A token of a source. */
export interface Token {
  readonly kind: number;
  readonly text: string;
  /** Offset in code points. */
  readonly at: number;
  /** Place among all tokens, white space included; -1 for one that was missing and is made up. */
  readonly index: number;
}

/** A rule as it was parsed, perhaps in part; `name` is that of the alternative, empty when none was found. */
export interface TreeNode {
  readonly rule: RuleName;
  name: string;
  parent: TreeNode | undefined;
  invokedAt: State | undefined;
  readonly start: Token;
  tokens: Readonly<Record<string, Token | undefined>>;
  tokenLists: Readonly<Record<string, Token[] | undefined>>;
  nodes: Readonly<Record<string, TreeNode | undefined>>;
  nodeLists: Readonly<Record<string, TreeNode[] | undefined>>;
  stack?: ReturnStack;
}

const nothing: Readonly<Record<string, never>> = {};

/** A node without parts. */
export function makeNode(
  rule: RuleName,
  name: string,
  parent: TreeNode | undefined,
  invokedAt: State | undefined,
  start: Token,
): TreeNode {
  const parts = { tokens: nothing, tokenLists: nothing, nodes: nothing, nodeLists: nothing };
  return { rule, name, parent, invokedAt, start, ...parts };
}

/** Gives a node a token. */
export function setToken(node: TreeNode, label: string, token: Token): void {
  node.tokens = { ...node.tokens, [label]: token };
}

/** Gives a node a token more. */
export function addToken(node: TreeNode, label: string, token: Token): void {
  const list = node.tokenLists[label];
  if (list === undefined) node.tokenLists = { ...node.tokenLists, [label]: [token] };
  else list.push(token);
}

/** Gives a node a node. */
export function setNode(node: TreeNode, label: string, child: TreeNode): void {
  node.nodes = { ...node.nodes, [label]: child };
}

/** Gives a node a node more. */
export function addNode(node: TreeNode, label: string, child: TreeNode): void {
  const list = node.nodeLists[label];
  if (list === undefined) node.nodeLists = { ...node.nodeLists, [label]: [child] };
  else list.push(child);
}
