import type { NormalAnswer } from '../normalize-answers.ts';
import { changeBodies, changeTexts, type AnswerPair, type Json } from './change-body.ts';

const patchFault = /(\bInvalid value: "map\[.*\]": )(.*)/;
const applyFault = /^(failed to convert new object .*: unable to convert unstructured object to [^:]*: )(json: .*)/;
/** How Go's two ways to fill a struct say that a value has the wrong type. */
const typeFault =
  /^(?:json: cannot unmarshal \w+ (?:-?[\d.]+ )?into Go |cannot restore (?:struct|slice|map) from|cannot convert \w+ to \w+|unrecognized type: )/;
/** What a patch removes; some of it is gone when Kubernetes quotes the patch. */
const removal = /(?<=[ [])[^\s[\]]*:<nil>(?: |(?=\]))/g;

/** A fault of a patch or an apply whose result is no object of the kind; `undefined` when it is another one. */
function findTypeFault({ status, body }: NormalAnswer): string | undefined {
  const cause = body?.details?.causes?.[0];
  const text = cause?.field === 'patch' && status === 422 ? patchFault.exec(cause.message)?.[2] : undefined;
  const found = text ?? (body?.kind === 'Status' ? applyFault.exec(body.message)?.[2] : undefined);
  return found !== undefined && typeFault.test(found) ? found : undefined;
}

function cutTypeFault(body: Json): Json {
  return changeTexts(body, (text) =>
    text
      .replace(applyFault, '$1')
      .replace(patchFault, (_all, quoted: string) => quoted.replaceAll(removal, '').replaceAll(' ]', ']')),
  );
}

/** The pair without how a value of the wrong type is worded, where both say that there is one. */
export function levelWording(pair: AnswerPair): AnswerPair {
  const [real, ours] = pair.map(findTypeFault);
  if (real === undefined || ours === undefined || !ours.startsWith('json: ')) return pair;
  return changeBodies(pair, cutTypeFault);
}
