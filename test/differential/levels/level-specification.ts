import type { DifferentialStep } from '../differential-case.ts';
import type { NormalAnswer } from '../normalize-answers.ts';
import { changeBody, changeTexts, type AnswerPair, type Json } from './change-body.ts';
import { isAcceptance } from './is-acceptance.ts';

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

function isListOfDeleted({ status, body }: NormalAnswer): boolean {
  return status === 200 && Array.isArray(body?.items);
}

/** Whether an answer tells that what was in the collection of a path is deleted. */
function isSuccess({ status, body }: NormalAnswer, path: string): boolean {
  const plural = path.split('?')[0]?.split('/').at(-1);
  return status === 200 && body?.kind === 'Status' && body.status === 'Success' && body.details?.kind === plural;
}

/** The pair without what only the specification finds wrong, or answers in its own way. */
export function levelSpecification([real, ours]: AnswerPair, { method, path }: DifferentialStep): AnswerPair {
  if (method === 'DELETE' && isListOfDeleted(real) && isSuccess(ours, path)) return [real, real];
  const told = changeBody(ours, (body) =>
    changeTexts(body, (text) => text.replaceAll(`${supportedReasons}, "Unauthorized"`, supportedReasons)),
  );
  const [theirs, own] = [dropFaults(real, [kubernetesFault]), dropFaults(told, ownFaults)];
  if (theirs === real && own === told) return [real, own];
  const isEmpty = (answer: NormalAnswer): boolean => answer.body?.details?.causes?.length === 0;
  // One of the two refuses for nothing else.
  if ((isEmpty(theirs) && isAcceptance(ours, real)) || (isEmpty(own) && isAcceptance(real, ours))) return [real, real];
  const silence = (body: Json): Json => ({ ...body, message: '' });
  return [changeBody(theirs, silence), changeBody(own, silence)];
}
