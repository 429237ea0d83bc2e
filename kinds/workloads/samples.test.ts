import { readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { decodeTyped } from '../../core/decode/decode-typed.ts';
import { FieldPath } from '../../core/errors/field-path.ts';
import { makeInvalidError } from '../../core/errors/make-status-error.ts';
import type { JsonObject } from '../../core/meta/json.ts';
import type { KubeObject } from '../../core/meta/kube-object.ts';
import { formatApiVersion } from '../../core/meta/resource-name.ts';
import { checkSubdomainName } from '../../core/validation/names.ts';
import { validateObjectMeta } from '../../core/validation/object-meta.ts';
import type { KindDefinition } from '../kind-definition.ts';
import { workloadKinds } from './workload-kinds.ts';

interface Sample {
  name: string;
  path: string;
  body: JsonObject;
}

interface Answer {
  name: string;
  code: number;
  body: JsonObject & { metadata: JsonObject };
}

function readData(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`testdata/${name}`, import.meta.url), 'utf8'));
}

const samples = readData('samples.json') as Sample[];
const answers = new Map((readData('samples.generated.json') as Answer[]).map((answer) => [answer.name, answer]));
const context = { domain: 'bailiwick.dev', nowMillis: 0 };

function findKind(path: string): { kind: KindDefinition; namespace?: string } {
  const match = /^\/(?:api|apis\/(?<group>[^/]+))\/v[12]\/(?:namespaces\/(?<namespace>[^/]+)\/)?(?<plural>[^/]+)$/.exec(
    path,
  );
  const { group = '', namespace, plural } = match?.groups ?? {};
  const kind = workloadKinds.find((found) => found.groupTemplate === group && found.plural === plural);
  if (!kind) throw new Error(`no kind at ${path}`);
  return { kind, ...(namespace === undefined ? {} : { namespace }) };
}

/** What a create makes of a body, without admission and store: the object, or the Status of its refusal. */
function createSample({ path, body }: Sample): unknown {
  const { kind, namespace } = findKind(path);
  const { strategy, groupTemplate: group } = kind;
  const typed = { apiVersion: formatApiVersion(group, kind.version), kind: kind.kind, ...body };
  const decoded = decodeTyped(typed, kind.schema);
  if ('fault' in decoded) throw new Error(decoded.fault);
  const object = decoded.object as unknown as KubeObject;
  strategy.applyDefaults(object, context);
  object.metadata.uid = 'UID';
  if (namespace !== undefined) object.metadata.namespace = namespace;
  strategy.prepareForCreate(object, context);
  if (strategy.generationFields) object.metadata.generation = 1;
  const validateName = (name: string, prefix: boolean): string[] =>
    strategy.validateName?.(name, prefix) ?? checkSubdomainName(name, prefix);
  const faults = [
    ...validateObjectMeta(object.metadata, { namespaced: kind.namespaced, validateName }, FieldPath.root('metadata')),
    ...strategy.validateCreate(object, context),
  ];
  if (faults.length > 0) return makeInvalidError(group, kind.kind, object.metadata.name ?? '', faults).status;
  strategy.fillStored?.(object);
  return JSON.parse(JSON.stringify(object));
}

/** Without what this API service does differently: it allocates no addresses, and writes empty lists where Go writes null. */
function dropDifferences(body: unknown): unknown {
  const text = JSON.stringify(body)
    .replaceAll(/"(currentMetrics|rules|topologyKeys)":null/g, '"$1":[]')
    .replaceAll(/"(last[A-Za-z]*TransitionTime)":"[^"]*"/g, '"$1":"TIME"')
    .replaceAll('"group":"events.k8s.io",', '');
  return JSON.parse(text);
}

function sortCauses(answer: unknown): unknown {
  const body = dropDifferences(answer);
  const copy = structuredClone(body) as {
    message?: string;
    details?: { causes?: { field: string; message: string }[] };
  };
  const causes = copy.details?.causes;
  if (causes === undefined || causes.length < 2) return body;
  // Where Go walks a map, the order of its faults changes from run to run, and the message with it.
  delete copy.message;
  causes.sort((a, b) => (`${a.field} ${a.message}` < `${b.field} ${b.message}` ? -1 : 1));
  return copy;
}

describe('creating a workload object', () => {
  it.for(samples.map((sample) => [sample.name, sample] as const))(
    'does what a real API server does: %s',
    ([, sample]) => {
      const answer = answers.get(sample.name);
      const made = createSample(sample);
      expect(sortCauses(made)).toEqual(sortCauses(answer?.body));
    },
  );
});
