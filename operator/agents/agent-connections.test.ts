import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  agentsRoot,
  makeRecord,
  recordName,
  sendJson,
  startAgentsService,
  testToken,
  type AgentsService,
} from './start-agents-service.ts';

let rig: AgentsService;

beforeEach(async () => {
  rig = await startAgentsService();
});

afterEach(() => rig.stop());

it.for<[name: string, taken: string, code: number, shown: string[]]>([
  ['once more with another', `${testToken}-a-2`, 200, [`${testToken}-a`, `${testToken}-a-2`]],
  ['no more when the other is refused as well', 'none', 503, [`${testToken}-a`, `${testToken}-a-2`]],
])('an agent that refuses a token is asked %s', async ([, taken, code, shown]) => {
  const seen: string[] = [];
  await rig.startAgent('a', (request, response) => {
    const token = (request.headers.authorization ?? '').replace('Bearer ', '');
    seen.push(token);
    if (token !== taken) return response.writeHead(401).end('Unauthorized');
    return sendJson(response, 200, makeRecord());
  });
  const answer = await rig.send('GET', `${agentsRoot}/namespaces/n/checkpoints/${recordName}`);
  expect(answer.code).toBe(code);
  expect(seen).toEqual(shown);
});
