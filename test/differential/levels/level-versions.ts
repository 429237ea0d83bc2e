import { changeBody, type AnswerPair, type Json } from './change-body.ts';

const version = /^<version (\d+)>$/;

function readVersion(body: Json): number | undefined {
  const found = version.exec(body?.metadata?.resourceVersion)?.[1];
  return found === undefined ? undefined : Number(found);
}

function readGeneration(body: Json): number | undefined {
  return body?.metadata?.generation;
}

/** Whether Kubernetes counted on, where ours did not: both count, and ours is not ahead. */
function isBehind(real: number | undefined, ours: number | undefined): boolean {
  return real !== undefined && ours !== undefined && ours < real;
}

function takeVersions(real: Json, ours: Json): Json {
  const { resourceVersion, generation } = real?.metadata ?? {};
  const changes = {
    ...(isBehind(readVersion(real), readVersion(ours)) ? { resourceVersion } : {}),
    ...(isBehind(readGeneration(real), readGeneration(ours)) ? { generation } : {}),
  };
  return Object.keys(changes).length === 0 ? ours : { ...ours, metadata: { ...ours.metadata, ...changes } };
}

/** The pair with the version and the generation of the real object, or of those in the real list, where those of ours are behind. */
export function levelVersions([real, ours]: AnswerPair): AnswerPair {
  const items: Json[] | undefined = real.body?.items;
  if (!Array.isArray(items)) return [real, changeBody(ours, (body) => takeVersions(real.body, body))];
  if (ours.body?.items?.length !== items.length) return [real, ours];
  const level = (body: Json): Json => ({
    ...body,
    items: body.items.map((item: Json, i: number) => takeVersions(items[i], item)),
  });
  return [real, changeBody(ours, level)];
}
