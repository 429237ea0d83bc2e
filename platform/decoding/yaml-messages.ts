import type { ParsedDocument } from '../../core/decode/parsed-document.ts';

/** A document to parse. */
export interface YamlRequest {
  readonly id: number;
  readonly bytes: Uint8Array;
}

/** What became of the document with this id; `failure` when it could not be parsed or passed on at all. */
export type YamlReply =
  | { readonly id: number; readonly parsed: ParsedDocument | { fault: string } }
  | { readonly id: number; readonly failure: string };
