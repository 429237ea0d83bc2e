import { encodeJson } from '../../../core/decode/encode-json.ts';
import { parseJson } from '../../../core/decode/parse-json.ts';
import { EventLoopYield } from '../pipeline/event-loop-yield.ts';
import { formatYaml } from './format-yaml.ts';

/** A list to encode: what stands before its members, and the members one by one, as values or as encoded JSON. */
export interface ListAnswer {
  readonly head: Readonly<Record<string, unknown>>;
  /** Name of the field that holds the members, such as `items`. */
  readonly field: string;
  readonly size: number;
  memberAt(index: number): unknown;
}

/** How a list is printed. */
export type ListFormat = 'json' | 'pretty' | 'yaml';

function toValue(member: unknown): unknown {
  if (!Buffer.isBuffer(member)) return member;
  const parsed = parseJson(member);
  if ('fault' in parsed) throw new Error(`a list item cannot be read: ${parsed.fault}`);
  return parsed.value;
}

const BLOCK_BYTES = 128 * 1024;

/** Gathers pieces of an answer in blocks that are large enough to send. */
class BlockBuilder {
  readonly #blocks: Buffer[] = [];
  #pieces: Buffer[] = [];
  #bytes = 0;

  add(piece: Buffer | string): void {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    this.#pieces.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes >= BLOCK_BYTES) this.#closeBlock();
  }

  take(): Buffer[] {
    this.#closeBlock();
    return this.#blocks;
  }

  #closeBlock(): void {
    this.#blocks.push(Buffer.concat(this.#pieces));
    this.#pieces = [];
    this.#bytes = 0;
  }
}

/**
 * Encodes a list member by member, since a long one takes too long at once, and lets others have their turn in between.
 * Resolves to the blocks of bytes that make up the whole.
 */
export async function encodeList(list: ListAnswer, format: ListFormat): Promise<Buffer[]> {
  const blocks = new BlockBuilder();
  const slices = new EventLoopYield();
  const add = (text: string): void => blocks.add(text);
  const addMembers = async (separator: string, encode: (member: unknown) => Buffer | string): Promise<void> => {
    for (let index = 0; index < list.size; index++) {
      await slices.pause();
      if (index > 0 && separator !== '') add(separator);
      blocks.add(encode(list.memberAt(index)));
    }
  };
  if (format === 'yaml') {
    for (const key of [...Object.keys(list.head), list.field].toSorted()) {
      if (key !== list.field) {
        add(formatYaml({ [key]: list.head[key] }));
        continue;
      }
      add(list.size === 0 ? `${key}: []\n` : `${key}:\n`);
      await addMembers('', (member) => `- ${indent(formatYaml(toValue(member)).trimEnd(), '  ')}\n`);
    }
  } else if (format === 'pretty') {
    add(`${JSON.stringify(list.head, undefined, 2).slice(0, -2)},\n  ${JSON.stringify(list.field)}: [`);
    await addMembers(',', (member) => `\n    ${indent(JSON.stringify(toValue(member), undefined, 2), '    ')}`);
    add(list.size === 0 ? ']\n}' : '\n  ]\n}');
  } else {
    add(`${encodeJson(list.head).slice(0, -1)},${JSON.stringify(list.field)}:[`);
    await addMembers(',', (member) => (Buffer.isBuffer(member) ? member : encodeJson(member)));
    add(']}\n');
  }
  return blocks.take();
}

/** Indents all lines but the first; line breaks inside of JSON strings are escaped, and YAML's blocks move as a whole. */
function indent(text: string, by: string): string {
  return text.replaceAll(/\n(?!\n|$)/g, `\n${by}`);
}
