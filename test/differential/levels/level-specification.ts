import type { DifferentialStep } from '../differential-case.ts';
import type { NormalAnswer } from '../normalize-answers.ts';
import { changeBody, changeTexts, type AnswerPair, type Json } from './change-body.ts';

/** What only our rules find wrong, and how Kubernetes' list of supported reasons reads. */
const ownFaults: readonly { readonly field: RegExp; readonly message: RegExp }[] = [
  { field: /^spec\.limited\.borrowingLimitPercent$/, message: /^Invalid value: 0: / },
  { field: /^spec\.validations\[\d+\]\.message$/, message: /^Required value: message must be specified if/ },
  { field: /^spec\.variables\[\d+\]\.name$/, message: /^Duplicate value: / },
];
const kubernetesFault = {
  field: /^spec\.validations\[\d+\]\.reason$/,
  message: /^Unsupported value: "Unauthorized": /,
};
const supportedReasons = '"Forbidden", "Invalid", "RequestEntityTooLarge"';

/** A refusal without what only one of the two finds wrong; an acceptance when nothing is left. */
function dropFaults(answer: NormalAnswer, faults: readonly { field: RegExp; message: RegExp }[]): NormalAnswer {
  const causes: Json[] = answer.body?.details?.causes ?? [];
  const kept = causes.filter(
    (cause) => !faults.some(({ field, message }) => field.test(cause.field) && message.test(cause.message)),
  );
  if (kept.length === causes.length) return answer;
  return changeBody(answer, (body) => ({ ...body, message: '', details: { ...body.details, causes: kept } }));
}

/** The pair without what only the specification finds wrong, or answers in its own way. */
export function levelSpecification([real, ours]: AnswerPair, { method }: DifferentialStep): AnswerPair {
  const isCollection = method === 'DELETE' && Array.isArray(real.body?.items);
  if (isCollection && real.status === 200 && ours.status === 200 && ours.body?.kind === 'Status') return [real, real];
  const told = changeBody(ours, (body) =>
    changeTexts(body, (text) => text.replaceAll(`${supportedReasons}, "Unauthorized"`, supportedReasons)),
  );
  const [theirs, own] = [dropFaults(real, [kubernetesFault]), dropFaults(told, ownFaults)];
  if (theirs === real && own === told) return [real, own];
  const isEmpty = (answer: NormalAnswer): boolean => answer.body?.details?.causes?.length === 0;
  // One of the two refuses for nothing else.
  if ((isEmpty(theirs) && ours.status < 300) || (isEmpty(own) && real.status < 300)) return [real, real];
  const silence = (body: Json): Json => ({ ...body, message: '' });
  return [changeBody(theirs, silence), changeBody(own, silence)];
}
