import { encodeJson } from '../../core/decode/encode-json.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/meta/json.ts';
import { parseHostJson } from '../../platform/resources/read-host-answer.ts';
import type { RequestedConversion } from '../apiserver/http/accept-header.ts';
import { listColumns, makeRow, makeTable, type IncludeObject } from '../apiserver/http/make-table.ts';
import type { AnyObject } from '../apiserver/pipeline/stored-encoding.ts';
import type { RegisteredKind } from '../../kinds/registry.ts';

/** How objects of a kind are shown to one client. */
export interface ViewOptions {
  readonly kind: RegisteredKind;
  readonly domain: string;
  readonly nowMillis: number;
  /** The Table that the client asks for; absent: the objects themselves. */
  readonly table?: { readonly conversion: RequestedConversion; readonly include: IncludeObject };
}

/** Shows objects of a kind as its API has them, where a custom resource cannot: defaults that depend on other fields, and Tables. */
export class OwnKindView {
  readonly #options: ViewOptions;
  #hasColumns = false;

  constructor(options: ViewOptions) {
    this.#options = options;
  }

  /** Whether objects are shown otherwise than they are stored. */
  get changesObjects(): boolean {
    const { kind, table } = this.#options;
    return table !== undefined || kind.crd?.exceptions.some(({ effect }) => effect === 'not-defaulted') === true;
  }

  /** Fills in what is missing, in place: an object, the items of a list. */
  complete(value: JsonValue): void {
    if (!isJsonObject(value)) return;
    const { kind, domain, nowMillis } = this.#options;
    if (Array.isArray(value['items'])) for (const item of value['items']) this.complete(item);
    if (!isJsonObject(value['spec'])) return;
    try {
      kind.strategy.applyDefaults(value as unknown as AnyObject, { domain, nowMillis });
    } catch {
      // Of another shape than any of ours: shown as it is stored.
    }
  }

  /** An object or a list as a Table; anything else, such as a Status, as it is. */
  tabulate(value: JsonValue): unknown {
    const { table, kind, nowMillis } = this.#options;
    if (table === undefined || !isJsonObject(value) || value['kind'] === 'Status') return value;
    const { conversion, include } = table;
    const isList = Array.isArray(value['items']);
    const objects = (isList ? value['items'] : [value]) as unknown as AnyObject[];
    const rows = objects.map((object) => makeRow(kind, object, include, conversion.apiVersion, nowMillis));
    const given = isJsonObject(value['metadata']) ? value['metadata'] : {};
    const metadata = isList ? given : { resourceVersion: given['resourceVersion'] ?? '' };
    const columns = this.#hasColumns ? null : listColumns(kind);
    this.#hasColumns = true;
    return makeTable(conversion, metadata, columns, rows);
  }

  /** The bytes of an object, shown. */
  showObject(bytes: Buffer): Buffer {
    const value = parseHostJson(bytes.toString('utf8'));
    this.complete(value);
    return Buffer.from(encodeJson(this.tabulate(value)));
  }

  /** The bytes of an event of a watch, its object shown. */
  showEvent(bytes: Buffer): Buffer {
    const event = parseHostJson(bytes.toString('utf8')) as JsonObject;
    if (event['type'] === 'ERROR' || !isJsonObject(event['object'])) return bytes;
    if (event['type'] !== 'BOOKMARK') this.complete(event['object']);
    return Buffer.from(encodeJson({ ...event, object: this.tabulate(event['object']) }));
  }
}
