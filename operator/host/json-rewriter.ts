import type { HiddenMembers } from './hidden-members.ts';

/** What to change in JSON that passes by. */
export interface RewriteRules {
  /** Values of members named `apiVersion` that become another; those of owner references, labels, spec and the like are left alone. */
  readonly apiVersions: ReadonlyMap<string, string>;
  /** Members that are left out, by the name of the object that they are in. */
  readonly hidden: HiddenMembers;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Below these, an apiVersion is somebody else's, or is no apiVersion at all. */
const foreignMembers = new Set(['ownerReferences', 'annotations', 'labels', 'spec', 'status', 'fieldsV1']);

interface Container {
  readonly isArray: boolean;
  /** Names of hidden members, if some can be in here. */
  readonly hidden: ReadonlySet<string> | undefined;
  /** Whether apiVersions in here are left alone. */
  readonly isForeign: boolean;
  /** Name of the member whose value comes next or is under way. */
  member: string;
  expectsName: boolean;
  /** The member before was left out and no other stands before it, so the comma that follows goes too. */
  dropsComma: boolean;
  /** Whether the member under way is left out. */
  isDropping: boolean;
}

type State = 'between' | 'string' | 'name' | 'apiVersion';

/**
 * Changes JSON as it passes by, in pieces of any size: one document, or one after the other as a watch has them. Everything else stays
 * byte for byte: the order, the spaces, the numbers, duplicate members. What is no JSON passes as it is.
 */
export class JsonRewriter {
  readonly #rules: RewriteRules;
  readonly #containers: Container[] = [];
  /** Names of members of the outermost object, as far as it was read. */
  readonly topNames = new Set<string>();
  #state: State = 'between';
  #isEscaped = false;
  /** The string under way that has to be known whole. */
  #captured: Buffer[] = [];
  /** What is not decided on yet: a comma and a name; `undefined` when nothing is held. */
  #held: Buffer[] | undefined;
  #isDropping = false;

  constructor(rules: RewriteRules) {
    this.#rules = rules;
  }

  /** Whether what was read so far ends where a document does. */
  get isComplete(): boolean {
    return this.#containers.length === 0 && this.#state === 'between';
  }

  /** The pieces that replace a piece. */
  push(chunk: Buffer): Buffer[] {
    const output: Buffer[] = [];
    let start = 0;
    /** Lets go of what was read so far, up to `end`. */
    const pass = (end: number): void => {
      if (end > start && !this.#isDropping) (this.#held ?? output).push(chunk.subarray(start, end));
      start = end;
    };
    const capture = (end: number): void => {
      if (end > start) this.#captured.push(chunk.subarray(start, end));
      start = end;
    };
    for (let i = 0; i < chunk.length; i += 1) {
      const code = chunk[i] as number;
      if (this.#state !== 'between') {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (code === BACKSLASH) this.#isEscaped = true;
        else if (code === QUOTE) {
          if (this.#state !== 'string') {
            capture(i + 1);
            this.#endCaptured(output);
          }
          this.#state = 'between';
        }
        continue;
      }
      const container = this.#containers.at(-1);
      switch (code) {
        case QUOTE: {
          const isName = container?.expectsName === true;
          if (isName || this.#isCandidate(container)) {
            pass(i);
            if (isName && container.hidden !== undefined) this.#held ??= [];
            this.#state = isName ? 'name' : 'apiVersion';
          } else {
            this.#state = 'string';
          }
          break;
        }
        case OPEN_OBJECT:
        case OPEN_ARRAY:
          this.#open(code === OPEN_ARRAY, container);
          break;
        case CLOSE_OBJECT:
        case CLOSE_ARRAY:
          if (container?.isDropping === true) {
            pass(i);
            this.#isDropping = false;
          }
          this.#containers.pop();
          break;
        case COLON:
          if (container !== undefined) container.expectsName = false;
          break;
        case COMMA:
          if (container === undefined || container.isArray) break;
          container.expectsName = true;
          if (container.hidden === undefined) break;
          pass(i);
          if (container.isDropping) {
            container.isDropping = false;
            this.#isDropping = false;
          }
          if (container.dropsComma) {
            container.dropsComma = false;
            start = i + 1;
          } else if (!this.#isDropping) {
            this.#held = [];
          }
          break;
        default:
      }
    }
    if (this.#state === 'name' || this.#state === 'apiVersion') capture(chunk.length);
    else pass(chunk.length);
    return output;
  }

  #isCandidate(container: Container | undefined): boolean {
    return (
      container !== undefined &&
      !container.isArray &&
      container.member === 'apiVersion' &&
      !container.isForeign &&
      this.#rules.apiVersions.size > 0
    );
  }

  #open(isArray: boolean, parent: Container | undefined): void {
    const name = parent?.member ?? '';
    this.#containers.push({
      isArray,
      hidden: isArray ? undefined : this.#rules.hidden.get(parent?.isArray === true ? '' : name),
      isForeign: parent !== undefined && (parent.isForeign || (!parent.isArray && foreignMembers.has(name))),
      member: '',
      expectsName: !isArray,
      dropsComma: false,
      isDropping: false,
    });
  }

  #endCaptured(output: Buffer[]): void {
    const bytes = this.#captured.length === 1 ? (this.#captured[0] as Buffer) : Buffer.concat(this.#captured);
    this.#captured = [];
    const text = bytes.toString('utf8', 1, bytes.length - 1);
    if (this.#state === 'apiVersion') {
      const replacement = this.#rules.apiVersions.get(text);
      if (this.#isDropping) return;
      (this.#held ?? output).push(replacement === undefined ? bytes : Buffer.from(`"${replacement}"`));
      return;
    }
    const container = this.#containers.at(-1) as Container;
    container.member = text;
    if (this.#containers.length === 1) this.topNames.add(text);
    if (this.#isDropping) return;
    if (container.hidden?.has(text) !== true) {
      if (this.#held !== undefined) output.push(...this.#held);
      this.#held = undefined;
      output.push(bytes);
      return;
    }
    // With a comma before it that goes too; else the one behind it.
    container.dropsComma = this.#held?.every((piece) => piece[0] !== COMMA) ?? true;
    this.#held = undefined;
    container.isDropping = true;
    this.#isDropping = true;
  }
}
