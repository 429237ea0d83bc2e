import type { Service } from '../service/start-service.ts';

/** Reads a quota until the controller has written its status, so that nothing but the test writes it next. */
export async function settleQuota(service: Pick<Service, 'request'>, path: string): Promise<void> {
  for (;;) {
    const answer = await service.request('GET', path);
    if (answer.status !== 200 || answer.json.status?.used !== undefined) {
      return;
    }
  }
}
