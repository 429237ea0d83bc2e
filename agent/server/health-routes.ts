import type { HealthPages } from '../../platform/process/health-server.ts';
import type { Route } from './route.ts';
import { sendText } from './send-answer.ts';

/** Routes of the agent's health and metrics, which `pages` knows. */
export function buildHealthRoutes(pages: HealthPages): Route[] {
  return ['/healthz', '/healthz/*', '/metrics'].map((path) => ({
    path,
    async handle({ request, response }) {
      const { status, text, contentType } = await pages.answer(request.url ?? '/');
      sendText(response, status, text, contentType === undefined ? {} : { 'content-type': contentType });
    },
  }));
}
