import type { JsonObject } from '../../core/meta/json.ts';
import { RuntimeFailure } from '../cri/runtime-failure.ts';
import type { Route } from './route.ts';
import { sendJson, sendText } from './send-answer.ts';

/** What is shown of the node. */
export interface NodeRouteOptions {
  /** A v1 PodList. */
  readonly listPods: () => Promise<object>;
  /** The configuration as a file would have it, without secrets. */
  readonly configuration: JsonObject;
  /** The Node as it is measured now. */
  readonly readNode: (signal: AbortSignal) => Promise<object>;
}

function answerBy(gather: (signal: AbortSignal) => Promise<object>): Route['handle'] {
  return async ({ response, signal }) => {
    try {
      sendJson(response, 200, await gather(signal));
    } catch (error) {
      if (!(error instanceof RuntimeFailure)) throw error;
      sendText(response, 500, error.message);
    }
  };
}

/** Routes of what the agent knows of its node: its configuration, its pods and its status. What goes wrong is plain text, as the kubelet's. */
export function buildNodeRoutes({ configuration, listPods, readNode }: NodeRouteOptions): Route[] {
  return [
    {
      path: '/configz',
      async handle({ response }) {
        sendJson(response, 200, { agentconfig: configuration });
      },
    },
    { method: 'GET', path: '/pods', handle: answerBy(listPods) },
    { method: 'GET', path: '/status', handle: answerBy(readNode) },
  ];
}
