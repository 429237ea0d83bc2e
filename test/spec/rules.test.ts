import { afterAll, beforeAll, describe } from 'vitest';

import { walkRules } from '../contract/walk-rules.ts';
import { startService } from '../service/start-service.ts';
import type { Service } from '../service/start-service.ts';

const domain = 'rules.example';

describe('the rules of the specification, through the running service', () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService({ domain });
    await service.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'rules' } } });
  });
  afterAll(() => service?.stop());

  walkRules(
    {
      domain,
      request: (...words) => service.request(...words),
      open: (...words) => service.open(...words),
      differences: [],
    },
    'exact',
  );
});
