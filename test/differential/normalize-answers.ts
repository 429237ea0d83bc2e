import type { Answer } from './differential-case.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- bodies of any kind
type Json = any;

/** An answer with everything that differs from run to run replaced; values of equal meaning have equal replacements within a case. */
export interface NormalAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Json;
}

/** What is known of the run that answers come from. */
export interface RunFacts {
  /** `https://127.0.0.1:PORT`. */
  readonly url: string;
  /** Times between these two are the run's own. */
  readonly fromMillis: number;
  readonly untilMillis: number;
}

const comparedHeaders = [
  ...['content-type', 'warning', 'cache-control', 'retry-after', 'allow', 'location', 'www-authenticate'],
  ...['x-content-type-options', 'vary', 'accept-patch'],
];
/** Of these only whether they are there. */
const presentHeaders = ['audit-id', 'etag'];

const uuid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const time = /\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g;
/** Not the numbers of quoted JSON, where versions are texts. */
const wholeNumber = /(?<!":)\b\d+\b/g;
const versionInYaml = /(\bresourceVersion: )"?\d+"?/g;
/** What a table says of an object that was just made. */
const youngAge = /^\d{1,3}s$/;
/** Numbers that servers add to messages about versions. */
const currentVersion = /(current: |too old resource version: \d+ \()\d+/g;

/** Times that an answer tells in advance are the same when they are as far away, to this. */
const distanceSeconds = 10;
const distanceMillis = distanceSeconds * 1000;

/** The replacements of one case. */
class Tokens {
  readonly #facts: RunFacts;
  readonly #address: string;
  readonly #uids = new Map<string, string>();
  readonly #versions = new Map<string, string>();
  readonly #names = new Map<string, string>();
  readonly #laterTimes = new Map<string, string>();
  #atMillis = 0;
  #answer = 0;
  #uidsOfAnswer = 0;

  constructor(facts: RunFacts) {
    this.#facts = facts;
    this.#address = new URL(facts.url).host;
  }

  /** To be called before each answer, with when it came. */
  startAnswer(atMillis: number): void {
    this.#atMillis = atMillis;
    this.#answer += 1;
    this.#uidsOfAnswer = 0;
  }

  normalize(value: Json, key: string, parent: Json): Json {
    if (typeof value === 'string') return this.#normalizeText(value, key, parent);
    if (Array.isArray(value)) return this.#normalizeList(value, key);
    if (typeof value === 'bigint') return `<integer ${value}>`;
    if (typeof value !== 'object' || value === null) return value;
    this.#noteGeneratedName(value.metadata);
    // Lists and bookmarks carry the version of the whole store.
    const isWhole = Array.isArray(value.items) || Array.isArray(value.rows) || value.type === 'BOOKMARK';
    const inner = value.type === 'BOOKMARK' ? { ...value, object: { ...value.object, items: [] } } : value;
    const entries = Object.keys(inner)
      .toSorted()
      .map((name) => [
        this.#normalizeText(name, '', undefined),
        this.normalize(inner[name], isWhole && name === 'metadata' ? 'listMetadata' : name, { key, value: inner }),
      ]);
    return Object.fromEntries(entries);
  }

  #normalizeList(list: Json[], key: string): Json[] {
    if (key === 'cells')
      return list.map((cell) => (youngAge.test(String(cell)) ? '<age>' : this.normalize(cell, '', undefined)));
    const items = list.map((item) => this.normalize(item, '', undefined));
    // Times have whole seconds, which two servers may cross between different steps.
    return key === 'managedFields' ? sortByText(items) : items;
  }

  #normalizeText(text: string, key: string, parent: Json): string {
    if (key === 'resourceVersion' && /^\d+$/.test(text)) {
      return parent.key === 'listMetadata' && text !== '0' ? '<version>' : this.#name(this.#versions, text, 'version');
    }
    if (key === 'continue' && text !== '') return '<continue>';
    let result = dropQuotedManagers(text)
      .replaceAll(versionInYaml, '$1<version>')
      .replaceAll(uuid, (found) => this.#nameUid(found))
      .replaceAll(time, (found) => this.#nameTime(found))
      .replaceAll(this.#address, '<address>');
    for (const [name, token] of this.#names) result = result.replaceAll(name, token);
    if (!/resource ?version/i.test(result)) return result;
    return result
      .replaceAll(currentVersion, '$1<version>')
      .replaceAll(wholeNumber, (found) => this.#versions.get(found) ?? found);
  }

  #name(known: Map<string, string>, text: string, word: string): string {
    const token = known.get(text) ?? `<${word} ${known.size + 1}>`;
    known.set(text, token);
    return token;
  }

  /** Counted by answer: an object that only one server accepts must not shift what comes later. */
  #nameUid(uid: string): string {
    const known = this.#uids.get(uid);
    if (known !== undefined) return known;
    this.#uidsOfAnswer += 1;
    const token = `<uid ${this.#answer}.${this.#uidsOfAnswer}>`;
    this.#uids.set(uid, token);
    return token;
  }

  #noteGeneratedName(metadata: Json): void {
    const prefix = metadata?.generateName;
    const name = metadata?.name;
    if (typeof prefix !== 'string' || typeof name !== 'string' || prefix === '' || !name.startsWith(prefix)) return;
    if (name.length === prefix.length + 5) this.#names.set(name, `${prefix}<random>`);
  }

  /** `<now>` for a time of the run, or how long after the answer it is that told of it first. */
  #nameTime(text: string): string {
    const millis = Date.parse(text);
    if (!(millis >= this.#facts.fromMillis && millis <= this.#facts.untilMillis)) return text;
    const known = this.#laterTimes.get(text);
    if (known !== undefined) return known;
    const later = Math.round((millis - this.#atMillis) / distanceMillis) * distanceSeconds;
    if (later <= 0) return '<now>';
    this.#laterTimes.set(text, `<in ${later} s>`);
    return `<in ${later} s>`;
  }
}

const quotedText = /"(?:[^"\\]|\\.)*"/g;

/** Objects that an error quotes, without their managedFields, whose order depends on when seconds began. */
function dropQuotedManagers(text: string): string {
  if (!text.includes('managedFields')) return text;
  return text.replaceAll(quotedText, (quoted) => {
    try {
      const object: Json = JSON.parse(JSON.parse(quoted));
      if (Array.isArray(object.metadata?.managedFields)) delete object.metadata.managedFields;
      return JSON.stringify(object);
    } catch {
      return quoted;
    }
  });
}

function sortByText(list: Json[]): Json[] {
  const keyed = list.map((item) => [JSON.stringify(item), item] as const);
  return keyed.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
}

function normalizeHeaders(headers: Answer['headers'], tokens: Tokens): Record<string, string> {
  const shown = comparedHeaders.flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [[name, tokens.normalize([value].flat().join(', '), '', undefined)]];
  });
  const present = presentHeaders.filter((name) => headers[name] !== undefined).map((name) => [name, '<present>']);
  return Object.fromEntries([...shown, ...present]);
}

/** What is compared of the answers to one case, in their order. */
export function normalizeAnswers(answers: readonly Answer[], facts: RunFacts): NormalAnswer[] {
  const tokens = new Tokens(facts);
  return answers.map(({ status, headers, body, atMillis }) => {
    tokens.startAnswer(atMillis);
    return { status, body: tokens.normalize(body, '', undefined), headers: normalizeHeaders(headers, tokens) };
  });
}
