import type { NormalAnswer } from '../normalize-answers.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- bodies of any kind
export type Json = any;

/** The answers of a real server and of ours to one request. */
export type AnswerPair = readonly [real: NormalAnswer, ours: NormalAnswer];

/** Both answers with `change` made to their bodies. */
export function changeBodies([real, ours]: AnswerPair, change: (body: Json) => Json): AnswerPair {
  return [changeBody(real, change), changeBody(ours, change)];
}

/** An answer with `change` made to its body. */
export function changeBody(answer: NormalAnswer, change: (body: Json) => Json): NormalAnswer {
  return { ...answer, body: change(answer.body) };
}

/** Applies `change` to the texts of a Status. */
export function changeTexts(body: Json, change: (text: string) => string): Json {
  if (body?.kind !== 'Status') return body;
  const causes = body.details?.causes;
  const details = Array.isArray(causes)
    ? { ...body.details, causes: causes.map((cause) => ({ ...cause, message: change(String(cause.message)) })) }
    : body.details;
  return { ...body, message: change(String(body.message)), details };
}

const quotedObject = /Invalid value: (\{.*\})(?=: )/g;
/** The text of an object that a patch made and that cannot be read: quoted as a text. */
const quotedText = /Invalid value: ("\{(?:[^"\\]|\\.)*\}")(?=: )/g;

/** A text with the objects that it quotes changed, and their fields in one order. */
export function changeQuoted(text: string, change: (object: Json) => Json): string {
  const show = (quoted: string): string => JSON.stringify(change(JSON.parse(quoted)), sortKeys);
  const replace = (all: string, read: () => string): string => {
    try {
      return `Invalid value: ${read()}`;
    } catch {
      return all;
    }
  };
  return text
    .replaceAll(quotedObject, (all, quoted: string) => replace(all, () => show(quoted)))
    .replaceAll(quotedText, (all, quoted: string) =>
      replace(all, () => JSON.stringify(show(JSON.parse(quoted) as string))),
    );
}

function sortKeys(_key: string, value: Json): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
