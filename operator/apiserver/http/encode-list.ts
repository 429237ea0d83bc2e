import { encodeJson } from '../../../core/decode/encode-json.ts';
import { parseJson } from '../../../core/decode/parse-json.ts';
import { formatYamlAside } from '../../../platform/decoding/format-yaml-aside.ts';
import { EventLoopYield } from '../../../platform/process/event-loop-yield.ts';

/** A JSON object that is encoded already: the bytes from `from` on, after an opening brace. */
export class EncodedMember {
  readonly bytes: Buffer;
  readonly from: number;

  constructor(bytes: Buffer, from: number) {
    this.bytes = bytes;
    this.from = from;
  }
}

/** A list to encode: what stands before its members, and the members one by one, as values or as EncodedMembers. */
export interface ListAnswer {
  readonly head: Readonly<Record<string, unknown>>;
  /** Name of the field that holds the members, such as `items`. */
  readonly field: string;
  readonly size: number;
  memberAt(index: number): unknown;
}

/** How a list is printed. */
export type ListFormat = 'json' | 'pretty' | 'yaml';

const OPENING_BRACE = Buffer.from('{');
const COMMA = Buffer.from(',');
const NOTHING = Buffer.alloc(0);

function toBytes(member: unknown): Buffer {
  if (!(member instanceof EncodedMember)) return Buffer.from(encodeJson(member));
  return Buffer.concat([OPENING_BRACE, member.bytes.subarray(member.from)]);
}

function toValue(member: unknown): unknown {
  if (!(member instanceof EncodedMember)) return member;
  const parsed = parseJson(toBytes(member));
  if ('fault' in parsed) throw new Error(`a list item cannot be read: ${parsed.fault}`);
  return parsed.value;
}

const BLOCK_BYTES = 128 * 1024;
/** Of most lists, which are short. */
const FIRST_BLOCK_BYTES = 8 * 1024;

/** Gathers pieces of an answer in blocks that are large enough to send. */
class BlockBuilder {
  readonly #blocks: Buffer[] = [];
  #block = Buffer.allocUnsafeSlow(FIRST_BLOCK_BYTES);
  #used = 0;

  addText(text: string): void {
    this.addBytes(Buffer.from(text), 0);
  }

  /** Adds the bytes from `from` on. */
  addBytes(bytes: Buffer, from: number): void {
    for (let at = from; at < bytes.length;) {
      if (this.#used === this.#block.length) this.#startBlock();
      const count = bytes.copy(this.#block, this.#used, at);
      this.#used += count;
      at += count;
    }
  }

  take(): Buffer[] {
    this.#blocks.push(this.#block.subarray(0, this.#used));
    return this.#blocks;
  }

  #startBlock(): void {
    this.#blocks.push(this.#block);
    this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    this.#used = 0;
  }
}

/**
 * Encodes a list member by member, since a long one takes too long at once, and lets others have their turn in between.
 * Resolves to the blocks of bytes that make up the whole.
 */
export async function encodeList(list: ListAnswer, format: ListFormat): Promise<Buffer[]> {
  const blocks = new BlockBuilder();
  const slices = new EventLoopYield();
  const add = (text: string): void => blocks.addText(text);
  const addMembers = async (
    separator: Buffer,
    encode: (member: unknown) => string | Promise<string>,
  ): Promise<void> => {
    for (let index = 0; index < list.size; index++) {
      if (slices.isDue()) await slices.pause();
      if (index > 0) blocks.addBytes(separator, 0);
      const member = list.memberAt(index);
      if (format === 'json' && member instanceof EncodedMember) {
        blocks.addBytes(OPENING_BRACE, 0);
        blocks.addBytes(member.bytes, member.from);
      } else {
        const text = encode(member);
        add(typeof text === 'string' ? text : await text);
      }
    }
  };
  if (format === 'yaml') {
    for (const key of [...Object.keys(list.head), list.field].toSorted()) {
      if (key !== list.field) {
        add(await formatYamlAside(Buffer.from(encodeJson({ [key]: list.head[key] }))));
        continue;
      }
      add(list.size === 0 ? `${key}: []\n` : `${key}:\n`);
      await addMembers(
        NOTHING,
        async (member) => `- ${indent((await formatYamlAside(toBytes(member))).trimEnd(), '  ')}\n`,
      );
    }
  } else if (format === 'pretty') {
    add(`${JSON.stringify(list.head, undefined, 2).slice(0, -2)},\n  ${JSON.stringify(list.field)}: [`);
    await addMembers(COMMA, (member) => `\n    ${indent(JSON.stringify(toValue(member), undefined, 2), '    ')}`);
    add(list.size === 0 ? ']\n}' : '\n  ]\n}');
  } else {
    add(`${encodeJson(list.head).slice(0, -1)},${JSON.stringify(list.field)}:[`);
    await addMembers(COMMA, encodeJson);
    add(']}\n');
  }
  return blocks.take();
}

/** Indents all lines but the first; line breaks inside of JSON strings are escaped, and YAML's blocks move as a whole. */
function indent(text: string, by: string): string {
  return text.replaceAll(/\n(?!\n|$)/g, `\n${by}`);
}
