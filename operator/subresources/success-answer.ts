import type { SubresourceAnswer } from '../apiserver/subresource-handler.ts';

/** What Kubernetes answers when a subresource was created and there is nothing to show. */
export const successAnswer: SubresourceAnswer = {
  code: 201,
  object: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
};
