import type { FieldError } from '../../../../core/errors/field-error.ts';
import type { FieldPath } from '../../../../core/errors/field-path.ts';
import {
  makeInvalid,
  makeNotSupported,
  makeRequired,
  makeTooLong,
  makeTooMany,
  makeTypeInvalid,
} from '../../../../core/errors/make-field-error.ts';
import { formatGoJson } from '../../../../core/errors/quote-go.ts';
import type { JsonValue } from '../../../../core/meta/json.ts';
import { sortKeys } from '../sort-keys.ts';

/** What a schema finds wrong with a value. `name` is the path as messages quote it; absent where the fault is of no one value. */
export interface SchemaFault {
  readonly kind: 'required' | 'enum' | 'tooLong' | 'tooMany' | 'type' | 'other';
  readonly name?: string;
  readonly message: string;
  readonly value?: JsonValue;
  /** Values of an enumeration. */
  readonly supported?: readonly JsonValue[];
  /** What a value was too long or too many for. */
  readonly limit?: number;
}

const none: ReadonlyMap<string, SchemaFault> = new Map();

/** What a schema says to a value: its faults, each message once, and how many of its checks were met. */
export class SchemaResult {
  /** Of several alternatives that all fail, that with most matches is reported. */
  matches = 0;
  #faults: Map<string, SchemaFault> | undefined;

  get isValid(): boolean {
    return this.#faults === undefined;
  }

  get faults(): Iterable<SchemaFault> {
    return (this.#faults ?? none).values();
  }

  add(fault: SchemaFault | undefined): void {
    if (fault === undefined) return;
    this.#faults ??= new Map();
    if (!this.#faults.has(fault.message)) this.#faults.set(fault.message, fault);
  }

  /** Takes over faults and matches. */
  merge(other: SchemaResult): void {
    this.matches += other.matches;
    if (!other.isValid) for (const fault of other.faults) this.add(fault);
  }

  /** Forgets the faults: what was there before may stay. */
  forgive(): void {
    this.#faults = undefined;
  }
}

/** The faults of a value at `path` as Kubernetes reports them. */
export function toFieldErrors(result: SchemaResult, path: FieldPath): FieldError[] {
  return [...result.faults].map((fault) => toFieldError(fault, path));
}

function toFieldError(fault: SchemaFault, root: FieldPath): FieldError {
  const { name } = fault;
  const path = name === undefined || name === '' || name === '.' ? root : root.child(name.replace(/^\./, ''));
  const value = sortKeys(fault.value ?? '');
  switch (fault.kind) {
    case 'required':
      return makeRequired(path, '');
    case 'enum':
      return makeNotSupported(path, sortKeys(fault.value ?? null), (fault.supported ?? []).map(showAllowed));
    case 'tooLong':
      return makeTooLong(path, '', fault.limit ?? -1);
    case 'tooMany':
      return makeTooMany(path, Number(fault.value ?? -1), fault.limit ?? -1);
    case 'type':
      return makeTypeInvalid(path, value, fault.message);
    default:
      return makeInvalid(path, value, fault.message);
  }
}

function showAllowed(value: JsonValue): string {
  return typeof value === 'string' ? value : formatGoJson(sortKeys(value));
}
