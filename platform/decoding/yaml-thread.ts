import { parentPort } from 'node:worker_threads';
import { parseYaml } from '../../core/decode/parse-yaml.ts';
import type { YamlReply, YamlRequest } from './yaml-messages.ts';

/** Entry of the thread that parses YAML; see `yaml-messages.ts` for what it is asked and answers. */
function runParser(): void {
  const port = parentPort!;
  port.on('message', ({ id, bytes }: YamlRequest) => {
    const send = (reply: YamlReply): void => port.postMessage(reply);
    try {
      send({ id, parsed: parseYaml(bytes) });
    } catch (error) {
      // Also what nests too deep to be passed between threads.
      send({ id, failure: (error as Error).message });
    }
  });
}

runParser();
