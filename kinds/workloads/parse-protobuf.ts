import { decodeProtobuf, openProtobufEnvelope } from '../../core/decode/decode-protobuf.ts';
import type { ProtobufField } from '../../core/decode/decode-protobuf.ts';
import type { ParsedDocument } from '../../core/decode/parsed-document.ts';
import { quoteGo } from '../../core/errors/quote-go.ts';
import { isJsonObject } from '../../core/meta/json.ts';
import { generatedMessages } from './protobuf-messages.generated.ts';

/** Type of an object, as its envelope says or as the endpoint expects. */
export interface ProtobufType {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Bytes that could not be read; `type` is there once the envelope could. */
export interface ProtobufFault {
  readonly fault: string;
  readonly type?: ProtobufType;
}

const shapes: Readonly<Record<string, ProtobufField['shape']>> = { '*': 'repeated', '%': 'map', '^': 'inline' };

const parsedMessages = new Map<string, ReadonlyMap<number, ProtobufField>>();

/** Fields are written `NUMBER SHAPE? NAME TYPE GONAME?`, separated by commas. */
function parseMessage(text: string): ReadonlyMap<number, ProtobufField> {
  const fields = new Map<number, ProtobufField>();
  for (const part of text === '' ? [] : text.split(',')) {
    const [number = '', shapedName = '', type = '', writtenGoName] = part.split(' ');
    const shape = shapes[shapedName.charAt(0)] ?? 'single';
    const name = shape === 'single' ? shapedName : shapedName.slice(1);
    const goName = writtenGoName ?? name.charAt(0).toUpperCase() + name.slice(1);
    fields.set(Number(number), { name, goName, type, shape });
  }
  return fields;
}

function findMessage(name: string): ReadonlyMap<number, ProtobufField> | undefined {
  const known = parsedMessages.get(name);
  if (known !== undefined) return known;
  const text = Object.hasOwn(generatedMessages, name) ? generatedMessages[name] : undefined;
  if (text === undefined) return undefined;
  const message = parseMessage(text);
  parsedMessages.set(name, message);
  return message;
}

/** Name of the message of a kind, whatever group its options travel in. */
function nameMessage(apiVersion: string, kind: string): string {
  if (kind === 'DeleteOptions') return `io.k8s.apimachinery.pkg.apis.meta.v1.${kind}`;
  // The older one has the same fields.
  if (kind === 'Eviction' && apiVersion === 'policy/v1beta1') return nameMessage('policy/v1', kind);
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? 'core' : (apiVersion.slice(0, slash).split('.')[0] ?? '');
  if (group === 'apiextensions') return `io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.${kind}`;
  return `io.k8s.api.${group}.${apiVersion.slice(slash + 1)}.${kind}`;
}

/** Whether objects of a kind can be read from protobuf. */
export function hasProtobufMessage({ apiVersion, kind }: ProtobufType): boolean {
  return findMessage(nameMessage(apiVersion, kind)) !== undefined;
}

/**
 * Reads an object in Kubernetes' protobuf encoding into what it is in JSON, apiVersion and kind included; `expected` fills
 * what the envelope leaves out. Never throws, whatever the bytes.
 */
export function parseProtobuf(bytes: Uint8Array, expected: ProtobufType): ParsedDocument | ProtobufFault {
  const envelope = openProtobufEnvelope(bytes);
  if ('fault' in envelope) return envelope;
  const type = { apiVersion: envelope.apiVersion || expected.apiVersion, kind: envelope.kind || expected.kind };
  if (!hasProtobufMessage(type)) {
    const scheme = 'in scheme "pkg/runtime/scheme.go:110"';
    const fault = `no kind ${quoteGo(type.kind)} is registered for version ${quoteGo(type.apiVersion)} ${scheme}`;
    return { fault, type };
  }
  const decoded = decodeProtobuf(envelope.raw, nameMessage(type.apiVersion, type.kind), findMessage);
  if ('fault' in decoded) return { fault: decoded.fault, type };
  const members = isJsonObject(decoded.value) ? decoded.value : {};
  const notes = { duplicateKeys: new Map(), numberLiterals: new Map() };
  return { value: { ...type, ...members }, duplicates: [], notes };
}
