import { parseYaml } from '../../core/decode/parse-yaml.ts';
import { serveThread } from '../threads/serve-thread.ts';

serveThread(parseYaml);
