import { sample } from 'fast-check';

import type { JsonObject } from '../../../core/meta/json.ts';
import { makeJsonPatch } from '../../../core/patch/make-json-patch.ts';
import { makeMergePatch } from '../../../core/patch/make-merge-patch.ts';
import type { RegisteredKind } from '../../../kinds/registry.ts';
import { resolveRuleObject, type RuleCase } from '../../../kinds/rule-case.ts';
import { ruleTables } from '../../../kinds/rule-tables.ts';
import { awaitSettled, isSettled } from '../cases/await-settled.ts';
import { findRuleKind, formatKindPath, makeStored } from '../cases/rules.ts';
import {
  create,
  patch,
  read,
  remove,
  update,
  type DifferentialCase,
  type DifferentialStep,
} from '../differential-case.ts';
import { changeMetadata, changePart, confuseValue } from './change-object.ts';
import { drawn, type Draw } from './draw.ts';

const domain = 'k8s.io';
/** Objects under these names belong to flow control. */
const reservedNames: ReadonlySet<unknown> = new Set(['exempt', 'catch-all']);

const ways = ['update', 'update', 'merge', 'json', 'strategic', 'apply'] as const;

interface Base {
  readonly kind: RegisteredKind;
  readonly rule: RuleCase;
}

const bases: readonly Base[] = Object.entries(ruleTables).flatMap(([name, rules]) =>
  rules.filter(({ deviation }) => deviation === undefined).map((rule) => ({ kind: findRuleKind(name), rule })),
);

function isReserved(object: JsonObject): boolean {
  return reservedNames.has((object['metadata'] as JsonObject)['name']);
}

/** The writes of one generated case, all to the same object. */
class CaseMaker {
  readonly #draw: Draw;
  readonly #kind: RegisteredKind;
  readonly #rule: RuleCase;
  readonly #collection: string;
  readonly #target: string;
  readonly #steps: DifferentialStep[] = [];

  /** Whether the rule is broken by nothing else. */
  readonly #isPlain: boolean;

  constructor(draw: Draw, { kind, rule }: Base, isPlain: boolean) {
    this.#draw = draw;
    this.#isPlain = isPlain;
    this.#kind = kind;
    this.#rule = rule;
    // What a quota counts is another matter: each has a namespace of its own.
    this.#collection = formatKindPath(kind, kind.kind === 'ResourceQuota' ? '{{ns}}' : 'default');
    this.#target = `${this.#collection}/{{case}}`;
  }

  make(): DifferentialStep[] {
    const { old, accepted, rejected, subresource } = this.#rule;
    if (old !== undefined && isReserved(old)) return this.#makeReserved(old, rejected ?? accepted);
    this.#tryCreates([rejected ?? accepted, accepted]);
    const base = this.#place(old ?? accepted);
    this.#steps.push(create(this.#collection, base), awaitSettled(this.#kind.kind, this.#target));
    const writes = [rejected ?? accepted, this.#draw.happens(0.5) ? (rejected ?? accepted) : accepted];
    for (const object of writes) this.#write(base, this.#place(object), subresource);
    if (this.#kind.strategy.status !== undefined && this.#draw.happens(0.6)) {
      this.#write(base, changePart(this.#draw, base, 'status', this.#kind.schema), 'status');
    }
    this.#steps.push(read(this.#target), this.#makeDelete(), remove(this.#target));
    return this.#steps;
  }

  #place(object: JsonObject): JsonObject {
    const resolved = resolveRuleObject(object, domain);
    return { ...resolved, metadata: { ...(resolved['metadata'] as JsonObject), name: '{{case}}' } };
  }

  /** A change of an object that flow control has made. */
  #makeReserved(old: JsonObject, object: JsonObject): DifferentialStep[] {
    const name = String((old['metadata'] as JsonObject)['name']);
    const changed = this.#change(resolveRuleObject(object, domain), false);
    return [
      ...makeStored(this.#kind, this.#collection, resolveRuleObject(old, domain)),
      update(`${this.#collection}/${name}${this.#makeQuery(['dryRun=All'])}`, changed),
    ];
  }

  /** Creates that store nothing. */
  #tryCreates(objects: readonly JsonObject[]): void {
    for (const object of objects) {
      const query = this.#makeQuery(['dryRun=All']);
      this.#steps.push(create(`${this.#collection}${query}`, this.#change(this.#placeUnlessPlain(object), false)));
    }
  }

  #placeUnlessPlain(object: JsonObject): JsonObject {
    return this.#isPlain || isReserved(object) ? resolveRuleObject(object, domain) : this.#place(object);
  }

  #makeQuery(words: readonly string[]): string {
    const validation = this.#draw.pick(['', '', '', 'Strict', 'Warn', 'Ignore', 'x']);
    const hasMore = !this.#isPlain;
    const all = [
      ...words,
      ...(!hasMore || validation === '' ? [] : [`fieldValidation=${validation}`]),
      ...(hasMore && this.#draw.happens(0.2)
        ? [`fieldManager=${this.#draw.pick(['m', 'é', 'a b', 'm'.repeat(129)])}`]
        : []),
    ];
    return all.length === 0 ? '' : `?${all.map(encodeURI).join('&')}`;
  }

  /** The object with up to three things changed. */
  #change(object: JsonObject, isStored: boolean): JsonObject {
    if (this.#isPlain && object['spec'] === this.#rule.rejected?.['spec']) return object;
    let changed = object;
    const count = this.#draw.pick([0, 1, 1, 1, 2, 3]);
    for (let i = 0; i < count; i += 1) {
      const way = this.#draw.next();
      if (way < 0.75) changed = changePart(this.#draw, changed, 'spec', this.#kind.schema);
      else if (way < 0.88) {
        const metadata = changeMetadata(this.#draw, changed['metadata'] as JsonObject, isStored);
        changed = { ...changed, metadata };
      } else changed = { ...changed, spec: confuseValue(this.#draw, changed['spec'] ?? null) };
    }
    return changed;
  }

  #write(base: JsonObject, object: JsonObject, subresource: string | undefined): void {
    const target = subresource === undefined ? this.#target : `${this.#target}/${subresource}`;
    // What controllers make of a status that they have not written themselves is another matter.
    const isControlled = isSettled(this.#kind.kind);
    const dryRun = (isControlled && subresource !== undefined) || this.#draw.happens(0.5) ? ['dryRun=All'] : [];
    const changed = subresource === undefined ? this.#change(object, dryRun.length === 0) : object;
    this.#addWrite(base, changed, target, dryRun);
    if (isControlled && dryRun.length === 0) {
      this.#steps.push(awaitSettled(this.#kind.kind, this.#target, { compares: 'nothing' }));
    }
  }

  #addWrite(base: JsonObject, changed: JsonObject, target: string, dryRun: readonly string[]): void {
    const isStatus = target.endsWith('/status');
    const choice = this.#draw.pick(ways);
    // An apply finds some faults before the rules do.
    const way = isStatus && this.#isPlain ? 'update' : choice;
    if (way === 'update') {
      // Controllers write too: the version is the one read right before.
      this.#steps.push(read(target, { compares: 'nothing' }));
      const metadata = {
        ...(changed['metadata'] as JsonObject),
        resourceVersion: `{{${this.#steps.length}.metadata.resourceVersion}}`,
      };
      const conditional = this.#kind.strategy.allowUnconditionalUpdate === false || this.#draw.happens(0.3);
      this.#steps.push(update(`${target}${this.#makeQuery(dryRun)}`, conditional ? { ...changed, metadata } : changed));
      return;
    }
    if (way === 'apply') {
      const query = [...dryRun, 'fieldManager=applier', ...(this.#draw.happens(0.5) ? ['force=true'] : [])];
      this.#steps.push(patch('apply', `${target}?${query.join('&')}`, changed));
      return;
    }
    const body = way === 'json' ? makeJsonPatch(base, changed) : makeMergePatch(base, changed);
    this.#steps.push(patch(way, `${target}${this.#makeQuery(dryRun)}`, body));
  }

  #makeDelete(): DifferentialStep {
    const bodies = [
      undefined,
      { propagationPolicy: 'Background' },
      { preconditions: { uid: 'x' } },
      { dryRun: ['All'] },
      { gracePeriodSeconds: 0 },
      { propagationPolicy: 'x' },
      { gracePeriodSeconds: -1 },
    ];
    return remove(this.#target, this.#draw.pick(bodies));
  }
}

/** This many cases of the nine kinds, one a rule in turn, at first with that rule broken alone; the same ones for a seed. */
export function generateCases(seed: number, count: number): DifferentialCase[] {
  return Array.from({ length: count }, (_, i) => {
    const base = bases[i % bases.length] as Base;
    const [steps = []] = sample(
      drawn((draw) => new CaseMaker(draw, base, i < bases.length).make()),
      { seed: seed + i, numRuns: 1 },
    );
    return { name: `generated-${i}`, steps };
  });
}
