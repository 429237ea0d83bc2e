import type { FileHandle } from 'node:fs/promises';

/** One entry of a tar archive. */
export interface TarEntry {
  /** Without `./` before and `/` behind it. */
  readonly name: string;
  readonly isFile: boolean;
  /** Where its content begins. */
  readonly position: number;
  readonly sizeBytes: number;
}

/** What a tar archive holds. */
export interface TarContents {
  readonly entries: readonly TarEntry[];
  /** Whether there is all of it, up to the mark of its end. */
  readonly isWhole: boolean;
}

const blockBytes = 512;
const maxEntries = 100_000;
/** Longer than any path. */
const maxExtensionBytes = 64 << 10;

/** A number in a header: octal digits, or in base 256 where the first bit is set. */
function readNumber(field: Buffer): number {
  if (((field[0] ?? 0) & 0x80) !== 0) return Number(field.readBigUInt64BE(field.length - 8));
  return Number.parseInt(field.toString('latin1').replaceAll(/[\0 ]/g, '') || '0', 8);
}

function readText(field: Buffer): string {
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? field.length : end);
}

/** What an extended header says: lines of `length key=value`, where the length is that of the line. */
function readExtension(content: Buffer): Map<string, string> {
  const values = new Map<string, string>();
  for (let start = 0; start < content.length;) {
    const length = Number.parseInt(content.toString('latin1', start, start + 20), 10);
    if (!(length > 0)) break;
    const line = content.toString('utf8', start, start + length - 1);
    const [key = '', value = ''] = line.slice(line.indexOf(' ') + 1).split(/=(.*)/s);
    values.set(key, value);
    start += length;
  }
  return values;
}

/** `length` bytes from `position`; fewer where the file ends before. */
async function readBytes(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await handle.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** Reads the headers of a tar archive, whatever it holds; what is no tar archive has no entries and is not whole. */
export async function readTar(handle: FileHandle): Promise<TarContents> {
  const { size: fileBytes } = await handle.stat();
  const entries: TarEntry[] = [];
  let extension = new Map<string, string>();
  let position = 0;
  while (entries.length < maxEntries) {
    const header = await readBytes(handle, position, blockBytes);
    // Two blocks of zeros end it.
    if (header.length === blockBytes && header.every((byte) => byte === 0)) {
      const last = await readBytes(handle, position + blockBytes, blockBytes);
      return { entries, isWhole: last.length === blockBytes && last.every((byte) => byte === 0) };
    }
    if (header.length < blockBytes || readText(header.subarray(257, 262)) !== 'ustar') break;
    const type = String.fromCharCode(header[156] ?? 0);
    const isExtension = type === 'x' || type === 'L';
    // What does not fit into a header is said before it.
    const said = isExtension ? undefined : extension.get('size');
    const sizeBytes = said === undefined ? readNumber(header.subarray(124, 136)) : Number(said);
    const contentPosition = position + blockBytes;
    if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 0 || contentPosition + sizeBytes > fileBytes) break;
    if (isExtension) {
      if (sizeBytes > maxExtensionBytes) break;
      const content = await readBytes(handle, contentPosition, sizeBytes);
      if (type === 'L') extension.set('path', readText(content));
      else extension = new Map([...extension, ...readExtension(content)]);
    } else if (type !== 'g' && type !== 'K') {
      const prefix = readText(header.subarray(345, 500));
      const short = readText(header.subarray(0, 100));
      const name = extension.get('path') ?? (prefix === '' ? short : `${prefix}/${short}`);
      entries.push({
        name: name.replace(/^(\.\/)+/, '').replace(/\/+$/, ''),
        isFile: type === '0' || type === '\0',
        position: contentPosition,
        sizeBytes,
      });
      extension = new Map();
    }
    position = contentPosition + Math.ceil(sizeBytes / blockBytes) * blockBytes;
  }
  return { entries, isWhole: false };
}
