import { serveThread } from '../threads/serve-thread.ts';
import { formatJsonAsYaml } from './format-json-as-yaml.ts';

serveThread(formatJsonAsYaml);
