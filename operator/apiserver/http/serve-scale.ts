import { prepareStored } from '../pipeline/convert-stored.ts';
import { decodeBody } from '../pipeline/decode-body.ts';
import { getObject } from '../pipeline/get-object.ts';
import { parsePatch } from '../pipeline/parse-patch.ts';
import { checkWriteParameters, readWriteRequest } from '../pipeline/query-parameters.ts';
import { expectScale, patchScale, showScale, replaceScale } from '../pipeline/scale-object.ts';
import { decodeAs } from '../pipeline/stored-encoding.ts';
import { negotiateFormat } from './accept-header.ts';
import { answerScale } from './answer-scale.ts';
import { makeMethodNotAllowedError } from './method-not-allowed.ts';
import { checkExists } from './check-exists.ts';
import { readBody, readBodyFormat, readPatchType } from './read-body.ts';
import type { ResourceCall } from './resource-call.ts';

/** Serves GET, PUT and PATCH of the Scale of an object. Throws a StatusError for every refusal. */
export async function serveScale(call: ResourceCall): Promise<void> {
  const { exchange, target, namespace, name, resources, context } = call;
  const { services } = resources;
  switch (exchange.request.method) {
    case 'GET': {
      const negotiated = negotiateFormat(exchange.request.headers.accept, 'all');
      const stored = getObject(services, target, namespace, name, exchange.query.get('resourceVersion') ?? '');
      await prepareStored(target.kind, [stored.value]);
      return answerScale(exchange, negotiated, showScale(target, decodeAs(target.kind, stored.value)), services.now());
    }
    case 'PUT': {
      const negotiated = negotiateFormat(exchange.request.headers.accept, 'all');
      const body = await readBody(exchange);
      const write = checkWriteParameters('update', readWriteRequest(exchange.query));
      const format = await readBodyFormat(exchange, body);
      const { object } = decodeBody(body, format, expectScale(services), write.fieldValidation, context.warn);
      exchange.audit?.recordRequest(object);
      const request = { target, namespace, name, write, raw: object };
      return answerScale(exchange, negotiated, await replaceScale(services, request, context), services.now());
    }
    case 'PATCH': {
      const type = readPatchType(exchange, target.kind.definedBy !== undefined);
      const negotiated = negotiateFormat(exchange.request.headers.accept, 'all');
      const body = await readBody(exchange);
      const write = checkWriteParameters(type, readWriteRequest(exchange.query));
      if (type !== 'application/apply-patch+yaml') checkExists(call);
      const patch = await parsePatch(type, body, write.fieldValidation);
      exchange.audit?.recordPatch(patch.value);
      const request = { target, namespace, name, write, patch };
      return answerScale(exchange, negotiated, await patchScale(services, request, context), services.now());
    }
    default:
      throw makeMethodNotAllowedError();
  }
}
