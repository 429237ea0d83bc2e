import { afterAll, beforeAll, describe } from 'vitest';

import { walkEndpoints } from '../contract/walk-endpoints.ts';
import { startService } from '../service/start-service.ts';
import type { Service } from '../service/start-service.ts';

const domain = 'walk.example';

describe('the endpoint tables of the specification', () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService({ domain });
    await service.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'walk' } } });
  });
  afterAll(() => service?.stop());

  walkEndpoints({
    domain,
    request: (...words) => service.request(...words),
    open: (...words) => service.open(...words),
    differences: [],
  });
});
