import { Composer, LineCounter, Parser, isAlias, isMap, isNode, isPair, isScalar, isSeq } from 'yaml';
import type { Alias, Node, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { quoteGo } from '../errors/quote-go.ts';
import { setOwn, type JsonObject, type JsonValue } from '../meta/json.ts';
import { parseJsonText } from './parse-json.ts';
import type { DocumentNotes, ParsedDocument } from './parsed-document.ts';
import { resolveYamlScalar } from './resolve-yaml-scalar.ts';

const depthFault = 'yaml: exceeded max depth of 10000';
const emptyNotes: DocumentNotes = { duplicateKeys: new Map(), numberLiterals: new Map() };

/**
 * Parses the first document of a YAML stream as Kubernetes does: YAML 1.1 scalars, merge keys, keys made strings. Faults begin with
 * `yaml:`; duplicate keys are `strictFaults`. Depth and the expansion of aliases are bounded, and it never throws.
 */
export function parseYaml(bytes: Uint8Array): ParsedDocument | { fault: string } {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { fault: 'yaml: invalid leading UTF-8 octet' };
  }
  const json = parsePlainJson(text);
  if (json !== undefined) return json;
  if (/(?![\t\n\r\u0085])\p{Cc}/u.test(text)) return { fault: 'yaml: control characters are not allowed' };
  try {
    return parseDocument(text);
  } catch (error) {
    if (error instanceof YamlFault) return { fault: error.message };
    // What nests too deep for the engine's stack nests deeper than any API object.
    if (error instanceof RangeError) return { fault: depthFault };
    throw error;
  }
}

/** A document that is JSON throughout and reads the same as YAML, as most that machines send; `undefined` for any other. */
export function parseJsonAsYaml(bytes: Uint8Array): ParsedDocument | undefined {
  try {
    return parsePlainJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

// The YAML parser takes fifty times as long.
function parsePlainJson(text: string): ParsedDocument | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  const parsed = parseJsonText(text);
  const isPlain = !('fault' in parsed) && parsed.duplicates.length === 0 && parsed.notes.numberLiterals.size === 0;
  return isPlain ? parsed : undefined;
}

class YamlFault extends Error {}

function parseDocument(text: string): ParsedDocument {
  const lines = new LineCounter();
  const composer = new Composer({ version: '1.1', schema: 'failsafe', uniqueKeys: false, lineCounter: lines });
  for (const document of composer.compose(new Parser(lines.addNewLine).parse(text))) {
    const error = document.errors[0];
    if (error !== undefined) {
      throw new YamlFault(describeSyntaxError(error.code, error.message, lines.linePos(error.pos[0]).line));
    }
    return new YamlConverter(lines).convert(document.contents);
  }
  return { value: null, duplicates: [], strictFaults: [], notes: emptyNotes };
}

function describeSyntaxError(code: string, message: string, line: number): string {
  const place = line > 1 ? `line ${line}: ` : '';
  switch (code) {
    case 'BLOCK_AS_IMPLICIT_KEY':
    case 'MULTILINE_IMPLICIT_KEY':
      return `yaml: ${place}mapping values are not allowed in this context`;
    case 'TAB_AS_INDENT':
    case 'BAD_SCALAR_START':
      return `yaml: ${place}found character that cannot start any token`;
    case 'BAD_DQ_ESCAPE':
      return `yaml: ${place}found unknown escape character`;
    case 'RESOURCE_EXHAUSTION':
      return depthFault;
    default:
      break;
  }
  if (/Flow map.*end with a \}/.test(message)) return `yaml: ${place}did not find expected ',' or '}'`;
  if (/Flow seq.*end with a \]/.test(message)) return `yaml: ${place}did not find expected ',' or ']'`;
  if (/closing .*quote/.test(message)) return `yaml: ${place}found unexpected end of stream`;
  if (/same column/.test(message)) return `yaml: ${place}did not find expected key`;
  const firstLine = message.split('\n')[0] ?? message;
  return `yaml: ${place}${firstLine.replace(/ at line \d+, column \d+:?$/, '')}`;
}

type Key = string | number | bigint | boolean | null;

/** Turns nodes into JSON values; counts what aliases multiply. */
class YamlConverter {
  private readonly lines: LineCounter;
  private readonly anchors = new Map<string, Node>();
  private readonly openAliases = new Set<Node>();
  private readonly keyFaults: string[] = [];
  private readonly duplicates: string[] = [];
  private readonly path: string[] = [];
  private decodeCount = 0;
  private aliasCount = 0;

  constructor(lines: LineCounter) {
    this.lines = lines;
  }

  convert(contents: Node | null): ParsedDocument {
    const value = this.convertNode(contents);
    const strictFaults =
      this.keyFaults.length === 0
        ? []
        : [`yaml: unmarshal errors:\n${this.keyFaults.map((fault) => `  ${fault}`).join('\n')}`];
    return { value, duplicates: this.duplicates, strictFaults, notes: emptyNotes };
  }

  private convertNode(node: unknown): JsonValue {
    this.count();
    if (isAlias(node)) return this.convertAlias(node);
    // The library's own lookup walks the whole document for each alias.
    if (isNode(node) && node.anchor !== undefined && this.openAliases.size === 0) this.anchors.set(node.anchor, node);
    if (isMap(node)) return this.convertMap(node);
    if (isSeq(node)) return this.convertSequence(node);
    if (isScalar(node)) return readScalar(node);
    return null;
  }

  // Go's YAML decoder allows ever fewer aliases the larger the expanded document becomes.
  private count(): void {
    this.decodeCount++;
    if (this.openAliases.size > 0) this.aliasCount++;
    if (this.aliasCount <= 100 || this.decodeCount <= 1000) return;
    const share = Math.min(1, Math.max(0, (this.decodeCount - 400_000) / 3_600_000));
    if (this.aliasCount / this.decodeCount > 0.99 - 0.89 * share) {
      throw new YamlFault('yaml: document contains excessive aliasing');
    }
  }

  private convertAlias(alias: Alias): JsonValue {
    const target = this.resolveAlias(alias);
    if (this.openAliases.has(target)) throw new YamlFault(`yaml: anchor '${alias.source}' value contains itself`);
    this.openAliases.add(target);
    const value = this.convertNode(target);
    this.openAliases.delete(target);
    return value;
  }

  private resolveAlias(alias: Alias): Node {
    const target = this.anchors.get(alias.source);
    if (target === undefined) throw new YamlFault(`yaml: unknown anchor '${alias.source}' referenced`);
    return target;
  }

  private convertSequence(sequence: YAMLSeq): JsonValue[] {
    const list: JsonValue[] = [];
    for (const item of sequence.items) {
      this.path.push(`[${list.length}]`);
      list.push(isPair(item) ? null : this.convertNode(item));
      this.path.pop();
    }
    return list;
  }

  private convertMap(map: YAMLMap): JsonObject {
    const object: JsonObject = {};
    for (const { key, value } of map.items) {
      if (isMergeKey(key)) {
        this.mergeInto(object, value);
        continue;
      }
      const name = nameKey(this.convertNode(key));
      if (Object.hasOwn(object, name)) this.reportDuplicate(name, value ?? key);
      this.path.push(this.path.length === 0 ? name : `.${name}`);
      setOwn(object, name, this.convertNode(value));
      this.path.pop();
    }
    return object;
  }

  private mergeInto(object: JsonObject, source: unknown): void {
    const node = isAlias(source) ? this.resolveAlias(source) : source;
    const parts = isSeq(node) ? [...node.items].reverse() : [source];
    for (const part of parts) {
      const value = this.convertNode(part);
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        throw new YamlFault('yaml: map merge requires map or sequence of maps as the value');
      }
      for (const key of Object.keys(value)) {
        if (Object.hasOwn(object, key)) this.reportDuplicate(key, part);
        setOwn(object, key, value[key]);
      }
    }
  }

  private reportDuplicate(name: string, node: unknown): void {
    if (this.duplicates.length >= 100) return;
    const offset = (node as Node).range?.[0] ?? 0;
    this.keyFaults.push(`line ${this.lines.linePos(offset).line}: key ${quoteGo(name)} already set in map`);
    this.duplicates.push(`${this.path.join('')}${this.path.length === 0 ? '' : '.'}${name}`);
  }
}

function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.value === '<<' && (key.type === 'PLAIN' || key.tag === 'tag:yaml.org,2002:merge');
}

function readScalar(scalar: Scalar): JsonValue {
  const text = typeof scalar.value === 'string' ? scalar.value.toWellFormed() : '';
  const tag = scalar.tag;
  if (tag === undefined || tag === '!') {
    return scalar.type === 'PLAIN' || scalar.type === undefined ? resolvePlain(text) : text;
  }
  switch (tag) {
    case 'tag:yaml.org,2002:binary':
      return decodeBinary(text);
    case 'tag:yaml.org,2002:bool':
    case 'tag:yaml.org,2002:int':
    case 'tag:yaml.org,2002:float':
    case 'tag:yaml.org,2002:null':
      return checkTag(resolvePlain(text), tag.slice(tag.lastIndexOf(':') + 1), text);
    default:
      return text;
  }
}

function resolvePlain(text: string): Key {
  try {
    return resolveYamlScalar(text);
  } catch (error) {
    if (error instanceof RangeError) throw new YamlFault(error.message);
    throw error;
  }
}

function checkTag(value: Key, tag: string, text: string): JsonValue {
  const actual = nameScalarTag(value);
  if (actual === tag || (actual === 'int' && tag === 'float')) return value;
  throw new YamlFault(`yaml: cannot decode !!${actual} \`${text}\` as a !!${tag}`);
}

function nameScalarTag(value: Key): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'str';
  return typeof value === 'bigint' || Number.isInteger(value) ? 'int' : 'float';
}

function decodeBinary(text: string): string {
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  } catch {
    throw new YamlFault('yaml: !!binary value contains invalid base64 data');
  }
}

function nameKey(key: JsonValue): string {
  if (typeof key === 'object' && key !== null) {
    throw new YamlFault(
      `yaml: invalid map key: ${Array.isArray(key) ? '[]interface {}' : 'map[interface {}]interface {}'}`,
    );
  }
  if (key === null) throw new YamlFault('unsupported map key of type: %!s(<nil>), key: <nil>');
  return String(key);
}
