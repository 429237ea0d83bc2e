import type { FieldError } from '../../../../core/errors/field-error.ts';
import { longestFaults } from '../../../../core/errors/limit-faults.ts';
import type { FieldPath } from '../../../../core/errors/field-path.ts';
import {
  makeInvalid,
  makeNotSupported,
  makeRequired,
  makeTooLong,
  makeTooMany,
  makeTypeInvalid,
} from '../../../../core/errors/make-field-error.ts';
import { formatGoJson, quoteGo } from '../../../../core/errors/quote-go.ts';
import type { JsonValue } from '../../../../core/meta/json.ts';
import { sortKeys } from '../sort-keys.ts';

/** What a schema finds wrong with a value. `name` is the path as messages quote it; absent where the fault is of no one value. */
export interface SchemaFault {
  readonly kind: 'required' | 'enum' | 'tooLong' | 'tooMany' | 'type' | 'other';
  readonly name?: string;
  readonly message: string;
  /** What `message` is when it is told, where it is not put together before: it quotes a long path. */
  readonly tell?: () => string;
  readonly value?: JsonValue;
  /** Values of an enumeration. */
  readonly supported?: readonly JsonValue[];
  /** What a value was too long or too many for. */
  readonly limit?: number;
}

/** Messages longer than this are put together from their parts only when they are told: each may hold a path as long as a body. */
const maxKeyLength = 1_000;

/** Faults with more characters of messages than this are not told, and not kept. */
const maxCharacters = longestFaults;

/** What alternatives say, which blame no value but quote its path. */
export function makeAlternativeFault(name: string, rule: string): SchemaFault {
  const tell = (): string => `${quoteGo(name)} ${rule}`;
  return name.length > maxKeyLength
    ? { kind: 'other', message: `${name} ${rule}`, tell }
    : { kind: 'other', message: tell() };
}

const none: ReadonlyMap<unknown, SchemaFault> = new Map();

/** What a schema says to a value: its faults, each message once, as many as can be told, and how many of its checks were met. */
export class SchemaResult {
  /** Of several alternatives that all fail, that with most matches is reported. */
  matches = 0;
  /** By message, or by themselves where that is long. */
  #faults: Map<unknown, SchemaFault> | undefined;
  #characters = 0;
  #hasBlocking = false;

  get isValid(): boolean {
    return this.#faults === undefined;
  }

  get faults(): Iterable<SchemaFault> {
    return (this.#faults ?? none).values();
  }

  add(fault: SchemaFault | undefined): void {
    if (fault === undefined) return;
    // Whether a value is what it should be at all decides on what else is looked at: one such fault is always kept.
    const isBlocking = fault.kind !== 'other';
    if (this.#characters > maxCharacters && (this.#hasBlocking || !isBlocking)) return;
    this.#hasBlocking ||= isBlocking;
    this.#faults ??= new Map();
    const { length } = fault.message;
    const key = length > maxKeyLength ? fault : fault.message;
    if (this.#faults.has(key)) return;
    this.#faults.set(key, fault);
    this.#characters += length;
  }

  /** Takes over faults and matches. */
  merge(other: SchemaResult): void {
    this.matches += other.matches;
    if (!other.isValid) for (const fault of other.faults) this.add(fault);
  }

  /** Forgets the faults: what was there before may stay. */
  forgive(): void {
    this.#faults = undefined;
    this.#characters = 0;
    this.#hasBlocking = false;
  }
}

/** The faults of a value at `path` as Kubernetes reports them. */
export function toFieldErrors(result: SchemaResult, path: FieldPath): FieldError[] {
  const messages = new Set<string>();
  const errors: FieldError[] = [];
  for (const fault of result.faults) {
    if (fault.message.length > maxKeyLength && messages.has(fault.message)) continue;
    if (fault.message.length > maxKeyLength) messages.add(fault.message);
    errors.push(toFieldError(fault, path));
  }
  return errors;
}

function toFieldError(fault: SchemaFault, root: FieldPath): FieldError {
  const { name } = fault;
  const path = name === undefined || name === '' || name === '.' ? root : root.child(name.replace(/^\./, ''));
  const value = sortKeys(fault.value ?? '');
  switch (fault.kind) {
    case 'required':
      return makeRequired(path, '');
    case 'enum':
      return reportUnsupported(path, fault);
    case 'tooLong':
      return makeTooLong(path, '', fault.limit ?? -1);
    case 'tooMany':
      return makeTooMany(path, Number(fault.value ?? -1), fault.limit ?? -1);
    case 'type':
      return makeTypeInvalid(path, value, fault.message);
    default:
      return makeInvalid(path, value, fault.tell?.() ?? fault.message);
  }
}

const supportedTexts = new WeakMap<readonly JsonValue[], string>();

function reportUnsupported(path: FieldPath, { value = null, supported = [] }: SchemaFault): FieldError {
  let detail = supportedTexts.get(supported);
  if (detail === undefined) {
    detail = makeNotSupported(path, null, supported.map(showAllowed)).detail;
    supportedTexts.set(supported, detail);
  }
  return { ...makeNotSupported(path, sortKeys(value), []), detail };
}

function showAllowed(value: JsonValue): string {
  return typeof value === 'string' ? value : formatGoJson(sortKeys(value));
}
