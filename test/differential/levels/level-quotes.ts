import type { DifferentialStep } from '../differential-case.ts';
import type { NormalAnswer } from '../normalize-answers.ts';
import { changeBodies, changeQuoted, changeTexts, type AnswerPair, type Json } from './change-body.ts';
import { levelVersions } from './level-versions.ts';

/** An empty list as a quoted value or within a quoted object. */
const emptyValue = /(?<=Invalid value: |":)\[\]/g;

function levelQuoted(body: Json): Json {
  return changeTexts(body, (text) => changeQuoted(text, (object) => object).replaceAll(emptyValue, 'null'));
}

/** The path of the collection that a step is about, and the name of the object; `undefined` when all of them. */
function findObject({ method, path, body }: DifferentialStep): { collection: string; name: string | undefined } {
  const [plain = ''] = path.split('?');
  const [, collection = plain, name] =
    /^(.*\/(?:limitranges|networkpolicies|flowschemas))(?:\/([^/]+))?/.exec(plain) ?? [];
  return { collection, name: method === 'POST' ? (body as Json)?.metadata?.name : name };
}

/** What a body says of `spec`, or a JSON patch puts there. */
function selectSpecs(body: Json): unknown[] {
  if (!Array.isArray(body)) return [body?.spec];
  return body.filter(({ path }) => String(path).startsWith('/spec')).map(({ value }) => value);
}

/** Whether a write of this object sent into its `spec` what is gone once the object has been stored. */
function sentEmpty(step: DifferentialStep, before: readonly DifferentialStep[], empty: RegExp): boolean {
  const { collection, name } = findObject(step);
  return before.some((sent) => {
    const about = findObject(sent);
    if (sent.method === 'GET' || about.collection !== collection || about.name !== name) return false;
    // What was only tried left no trace.
    if (sent !== step && sent.path.includes('dryRun=All')) return false;
    return selectSpecs(sent.body).some((spec) => empty.test(JSON.stringify(spec) ?? ''));
  });
}

const emptyOfPolicy = /\[\]|"matchLabels":\{\}/;
const emptyOfRange = /\[\]|\{\}/;

/** The list of a kind's spec that is one field to its owners. */
const wholeLists: Readonly<Record<string, string>> = { LimitRange: 'f:limits', FlowSchema: 'f:rules' };

/** An object without who owns its list, which is one field. */
function dropOwners(body: Json, list: string): Json {
  const entries: Json[] = body.metadata?.managedFields ?? [];
  const kept = entries.flatMap((entry) => {
    const { [list]: _list, ...spec } = entry.fieldsV1?.['f:spec'] ?? {};
    const { 'f:spec': _spec, ...fields } = entry.fieldsV1 ?? {};
    const left = Object.keys(spec).length === 0 ? fields : { ...fields, 'f:spec': spec };
    return Object.keys(left).length === 0 ? [] : [{ ...entry, fieldsV1: left }];
  });
  return { ...body, metadata: { ...body.metadata, managedFields: kept } };
}

/**
 * Kubernetes takes an empty list or map of a NetworkPolicy, LimitRange or FlowSchema for a change, which somebody then owns; it is gone when the
 * object has been stored.
 */
function dropTraces(pair: AnswerPair, step: DifferentialStep, before: readonly DifferentialStep[]): AnswerPair {
  const kinds = pair.map(({ body }) => body?.kind);
  const list = wholeLists[kinds[0]];
  if (list !== undefined && kinds[0] === kinds[1] && sentEmpty(step, before, emptyOfRange)) {
    return levelVersions(changeBodies(pair, (body) => dropOwners(body, list)));
  }
  const isPolicy = kinds.every((kind) => kind === 'NetworkPolicy');
  return isPolicy && sentEmpty(step, before, emptyOfPolicy) ? levelVersions(pair) : pair;
}

const strictFaults = /(?<=strict decoding error: ).*/s;

function sortParts(text: string, separator: RegExp): string {
  return text.split(separator).toSorted().join(', ');
}

const unknownWarnings = /299 - "unknown field (?:[^"\\]|\\.)*"(?:, 299 - "unknown field (?:[^"\\]|\\.)*")+/g;

/** An answer to a patch with the fields that are unknown in its result in one order: Kubernetes sorts those that a patch touched. */
function sortUnknown(answer: NormalAnswer): NormalAnswer {
  const { warning } = answer.headers;
  const sorted = warning?.replace(unknownWarnings, (all) => sortParts(all, /, (?=299 - )/));
  const headers = sorted === undefined ? answer.headers : { ...answer.headers, warning: sorted };
  const body = changeTexts(answer.body, (text) =>
    text.replace(strictFaults, (all) => sortParts(all, /, (?=\w+ field )/)),
  );
  return { ...answer, body, headers };
}

/** The pair without traces of empty lists, and with the fields of quoted and patched objects in one order; `before` are the steps up to this one. */
export function levelQuotes(pair: AnswerPair, step: DifferentialStep, before: readonly DifferentialStep[]): AnswerPair {
  const [real, ours] = changeBodies(dropTraces(pair, step, before), levelQuoted);
  return step.method === 'PATCH' ? [sortUnknown(real), sortUnknown(ours)] : [real, ours];
}
