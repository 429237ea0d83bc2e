// Records what a real API server makes of the definitions of the cases: `node tools/record-definitions.ts`.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { JsonObject } from '../core/meta/json.ts';
import { definitionCases } from '../kinds/apiextensions/custom-resource-definition/testdata/definition-cases.ts';
import { nameCase } from '../kinds/apiextensions/custom-resource-definition/testdata/definition-case.ts';
import type { ClusterAnswer } from '../test/cluster/cluster-request.ts';
import { startCluster, type Cluster } from '../test/cluster/start-cluster.ts';
import { waitUntil } from '../test/cluster/wait-until.ts';
import { projectRoot } from './run-command.ts';

const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface Status {
  readonly message?: string;
  readonly details?: { readonly causes?: readonly { readonly field: string; readonly message: string }[] };
}

/** What the answer says without what differs from run to run; where Go walks a map, the order of faults does. */
function describeAnswer({ status: code, body, headers }: ClusterAnswer): JsonObject {
  const warnings = headers['warning']?.split(', ').sort() ?? [];
  const warned = warnings.length > 0 ? { warnings } : {};
  if (code < 300) return { code, spec: (body as { spec: JsonObject }).spec, ...warned };
  const { message = '', details } = body as Status;
  const causes = [...(details?.causes ?? [])].sort((a, b) =>
    `${a.field} ${a.message}` < `${b.field} ${b.message}` ? -1 : 1,
  );
  if (causes.length <= 1) return { code, message, ...warned };
  return { code, causes, ...warned };
}

async function readSettled(cluster: Cluster, own: string): Promise<JsonObject> {
  let found: JsonObject = {};
  await waitUntil('the definition is established', async () => {
    found = (await cluster.request('GET', own)).body as JsonObject;
    const conditions = (found['status'] as { conditions?: { type: string; status: string }[] }).conditions ?? [];
    return conditions.some(({ type, status }) => type === 'Established' && status === 'True');
  });
  return found;
}

const cluster = await startCluster();
try {
  const answers: Record<string, JsonObject[]> = {};
  for (const [index, { name, definition, change }] of definitionCases.entries()) {
    const named = nameCase(definition, index);
    const made = await cluster.request('POST', path, { body: named });
    answers[name] = [describeAnswer(made)];
    const own = `${path}/${(named['metadata'] as JsonObject)['name'] as string}`;
    if (change !== undefined && made.status === 201) {
      const settled = await readSettled(cluster, own);
      change(settled['spec'] as JsonObject, settled);
      const changed = await cluster.request('PUT', own, { body: nameCase(settled, index) });
      answers[name].push(describeAnswer(changed));
    }
    if (made.status === 201) await cluster.request('DELETE', own);
  }
  const lines = Object.entries(answers).map(([name, all]) => `${JSON.stringify(name)}: ${JSON.stringify(all)}`);
  const file = 'kinds/apiextensions/custom-resource-definition/testdata/definition-answers.json';
  await writeFile(join(projectRoot, file), `{\n${lines.join(',\n')}\n}\n`);
  console.log(`${lines.length} cases recorded`);
} finally {
  await cluster.stop();
}
