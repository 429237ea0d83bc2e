import { balanceChain, ExpressionBuilder } from './expression-builder.ts';
import type { Expression, FieldEntry, MapEntry } from './expression.ts';
import { makeMacroKey, type MacroTable } from './macro.ts';
import { calculationOperators, relationOperators } from './operator-names.ts';
import type { Token, TreeNode } from './parse-tree.ts';
import { type LiteralReading, readBytes, readDouble, readInt, readString, readUint } from './read-literal.ts';
import { ParseGivenUp } from './parse-given-up.ts';
import { reservedNames } from './reserved-names.ts';

/** Where a node stands that a fault left without a place. */
const unplaced = -1;

/** Turns a tree, which may be a part of one, to an expression and reports what the grammar alone does not refuse. */
export class TreeConverter {
  readonly #report: (at: number, message: string) => void;
  readonly #macros: MacroTable;
  readonly #maxDepth: number;
  readonly #builder: ExpressionBuilder;
  #depth = 0;

  constructor(report: (at: number, message: string) => void, macros: MacroTable, maxDepth: number, size: number) {
    this.#builder = new ExpressionBuilder(size);
    this.#report = report;
    this.#macros = macros;
    this.#maxDepth = maxDepth;
  }

  /** Throws ParseGivenUp. */
  convert(root: TreeNode): Expression {
    return this.#convert(root.nodes['value']);
  }

  /** Stands for what could not be parsed. */
  #makeBroken(at: number): Expression {
    return this.#builder.makeLiteral(at, null);
  }

  #refuse(at: number, message: string): Expression {
    const broken = this.#makeBroken(at);
    this.#report(at, message);
    return broken;
  }

  #convert(tree: TreeNode | undefined): Expression {
    const node = unnest(tree);
    if (node === undefined) return this.#makeBroken(unplaced);
    switch (node.rule) {
      case 'or':
        return this.#convertChain(node, '_||_', '||');
      case 'and':
        return this.#convertChain(node, '_&&_', '&&');
      case 'unary':
        return this.#convertUnary(node);
      case 'primary':
        return this.#convertPrimary(node);
      case 'literal':
        return this.#convertLiteral(node);
      default:
        return this.#descend(() => this.#convertOperation(node));
    }
  }

  #descend(convert: () => Expression): Expression {
    if (++this.#depth > this.#maxDepth) throw new ParseGivenUp('max recursion depth exceeded');
    const expression = convert();
    this.#depth--;
    return expression;
  }

  #convertOperation(node: TreeNode): Expression {
    const operator = node.tokens['operator'];
    if (node.rule === 'expression') {
      const condition = this.#convert(node.nodes['value']);
      const id = this.#builder.takeId();
      const values = [condition, this.#convert(node.nodes['yes']), this.#convert(node.nodes['no'])];
      return { kind: 'call', id, at: operator!.at, name: '_?_:_', arguments: values };
    }
    if (node.rule !== 'member') {
      const names = node.rule === 'relation' ? relationOperators : calculationOperators;
      const left = this.#convert(node.nodes['left']);
      const id = this.#builder.takeId();
      const right = this.#convert(node.nodes['right']);
      const name = names.get(operator!.kind)!;
      return { kind: 'call', id, at: operator!.at, name, arguments: [left, right] };
    }
    if (node.name === 'select') return this.#convertSelect(node, operator);
    return node.name === 'index' ? this.#convertIndex(node, operator) : this.#convertMemberCall(node);
  }

  #convertChain(node: TreeNode, name: string, shown: string): Expression {
    const terms = [this.#convert(node.nodes['value'])];
    const operators = node.tokenLists['operators'] ?? [];
    const more = node.nodeLists['more'] ?? [];
    const ids: number[] = [];
    for (const index of operators.keys()) {
      if (index >= more.length) return this.#refuse(node.start.at, `unexpected character, wanted '${shown}'`);
      terms.push(this.#convert(more[index]));
      ids.push(this.#builder.takeId());
    }
    return balanceChain(
      name,
      terms,
      ids,
      operators.map(({ at }) => at),
    );
  }

  #convertUnary(node: TreeNode): Expression {
    if (node.name === '') return this.#builder.makeLiteral(node.start.at, '<<error>>');
    const operators = node.tokenLists['operators'] ?? [];
    if (operators.length % 2 === 0) return this.#convert(node.nodes['value']);
    const id = this.#builder.takeId();
    const operand = this.#convert(node.nodes['value']);
    const name = node.name === 'not' ? '!_' : '-_';
    return { kind: 'call', id, at: operators[0]!.at, name, arguments: [operand] };
  }

  #readName(node: TreeNode | undefined): { name: string } | { fault: string } {
    if (node?.name === 'plain') return { name: node.tokens['name']!.text };
    return { fault: node?.name === 'escaped' ? "unsupported syntax: '`'" : 'unsupported ident kind' };
  }

  #convertSelect(node: TreeNode, operator: Token | undefined): Expression {
    const operand = this.#convert(node.nodes['left']);
    const field = node.nodes['field'];
    if (field === undefined || operator === undefined) return this.#makeBroken(node.start.at);
    const read = this.#readName(field);
    if ('fault' in read) this.#refuse(field.start.at, read.fault);
    const name = 'name' in read ? read.name : '';
    if (node.tokens['mark'] === undefined) return this.#builder.makeSelect(operator.at, operand, name);
    return this.#builder.makeCall(operator.at, '_?._', operand, this.#builder.makeLiteral(field.start.at, name));
  }

  #convertMemberCall(node: TreeNode): Expression {
    const target = this.#convert(node.nodes['left']);
    const name = node.tokens['name'];
    if (name === undefined) return this.#makeBroken(node.start.at);
    return this.#convertCall(node, name.text, target);
  }

  #convertCall(node: TreeNode, name: string, target?: Expression): Expression {
    const open = node.tokens['open'];
    const at = open?.at ?? unplaced;
    const id = open === undefined ? 0 : this.#builder.takeId();
    const values = (node.nodes['values']?.nodeLists['values'] ?? []).map((each) => this.#convert(each));
    const macro = this.#macros.get(makeMacroKey(name, target !== undefined, values.length));
    if (macro === undefined) {
      const base = { kind: 'call', id, at, name, arguments: values } as const;
      return target === undefined ? base : { ...base, target };
    }
    const expansion = macro.expand({ builder: this.#builder, at, target: target ?? values[0]!, values });
    return 'kind' in expansion ? expansion : this.#refuse(expansion.at, expansion.message);
  }

  #convertIndex(node: TreeNode, operator: Token | undefined): Expression {
    const operand = this.#convert(node.nodes['left']);
    if (operator === undefined) return this.#makeBroken(node.start.at);
    const id = this.#builder.takeId();
    const index = this.#convert(node.nodes['index']);
    const name = node.tokens['mark'] === undefined ? '_[_]' : '_[?_]';
    return { kind: 'call', id, at: operator.at, name, arguments: [operand, index] };
  }

  #convertPrimary(node: TreeNode): Expression {
    const open = node.tokens['open'];
    switch (node.name) {
      case 'identifier':
      case 'call': {
        const name = node.tokens['name'];
        if (name === undefined) return this.#makeBroken(node.start.at);
        if (reservedNames.has(name.text)) return this.#refuse(node.start.at, `reserved identifier: ${name.text}`);
        const full = node.tokens['dot'] === undefined ? name.text : `.${name.text}`;
        return node.name === 'call' ? this.#convertCall(node, full) : this.#builder.makeIdentifier(name.at, full);
      }
      case 'list':
        return this.#convertList(node, open);
      case 'map': {
        const id = this.#builder.takeId();
        return { kind: 'map', id, at: open?.at ?? unplaced, entries: this.#convertEntries(node.nodes['entries']) };
      }
      case 'message': {
        const typeName = (node.tokenLists['names'] ?? []).map(({ text }) => text).join('.');
        const id = this.#builder.takeId();
        const fields = this.#convertFields(node.nodes['entries']);
        const full = node.tokens['dot'] === undefined ? typeName : `.${typeName}`;
        return { kind: 'message', id, at: open?.at ?? unplaced, typeName: full, fields };
      }
      default:
        return this.#makeBroken(unplaced);
    }
  }

  #convertList(node: TreeNode, open: Token | undefined): Expression {
    const id = this.#builder.takeId();
    const elements = node.nodes['items']?.nodeLists['items'] ?? [];
    const items = elements.map((each) => this.#convert(each.nodes['value']));
    const optionalIndices = elements.flatMap((each, index) => (each.tokens['mark'] === undefined ? [] : [index]));
    return { kind: 'list', id, at: open?.at ?? unplaced, items, optionalIndices };
  }

  #convertEntries(node: TreeNode | undefined): MapEntry[] {
    const entries: MapEntry[] = [];
    const keys = node?.nodeLists['keys'] ?? [];
    const values = node?.nodeLists['values'] ?? [];
    for (const [index, colon] of (node?.tokenLists['colons'] ?? []).entries()) {
      const id = this.#builder.takeId();
      const key = keys[index];
      if (key === undefined || index >= values.length) return [];
      const isOptional = key.tokens['mark'] !== undefined;
      const keyExpression = this.#convert(key.nodes['value']);
      entries.push({ id, at: colon.at, key: keyExpression, value: this.#convert(values[index]), isOptional });
    }
    return entries;
  }

  #convertFields(node: TreeNode | undefined): FieldEntry[] {
    const entries: FieldEntry[] = [];
    const colons = node?.tokenLists['colons'] ?? [];
    const values = node?.nodeLists['values'] ?? [];
    for (const [index, field] of (node?.nodeLists['fields'] ?? []).entries()) {
      const colon = colons[index];
      if (colon === undefined || index >= values.length) return [];
      const id = this.#builder.takeId();
      const read = this.#readName(field.nodes['name']);
      if ('fault' in read) {
        this.#refuse(node!.start.at, read.fault);
        continue;
      }
      const isOptional = field.tokens['mark'] !== undefined;
      entries.push({ id, at: colon.at, field: read.name, value: this.#convert(values[index]), isOptional });
    }
    return entries;
  }

  #convertLiteral(node: TreeNode): Expression {
    const text = node.tokens['token']?.text;
    if (text === undefined) return this.#makeBroken(unplaced);
    const reading = readLiteral(node.name, text, node.tokens['sign'] !== undefined);
    if (reading.fault !== undefined) return this.#refuse(node.start.at, reading.fault);
    return this.#builder.makeLiteral(node.start.at, reading.value);
  }
}

function readLiteral(name: string, text: string, isNegative: boolean): LiteralReading {
  switch (name) {
    case 'int':
      return readInt(text, isNegative);
    case 'double':
      return readDouble(text, isNegative);
    case 'uint':
      return readUint(text);
    case 'string':
      return readString(text);
    case 'bytes':
      return readBytes(text);
    default:
      return { value: name === 'null' ? null : name === 'true' };
  }
}

/** Follows nodes that only pass on another one. */
function unnest(tree: TreeNode | undefined): TreeNode | undefined {
  let node = tree;
  while (node !== undefined && passesOn(node)) node = node.nodes['value'];
  return node;
}

function passesOn({ rule, name, tokens, tokenLists }: TreeNode): boolean {
  switch (rule) {
    case 'or':
    case 'and':
      return tokenLists['operators'] === undefined;
    case 'expression':
    case 'relation':
    case 'calculation':
      return tokens['operator'] === undefined;
    case 'unary':
    case 'member':
      return name === 'pass';
    case 'primary':
      return name === 'nested' || name === 'constant';
    default:
      return false;
  }
}
