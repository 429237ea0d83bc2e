import { fromJSON, type PackageDefinition } from '@grpc/proto-loader';

type Definition = Parameters<typeof fromJSON>[0];

/** States of a task, by their numbers, in which its container does not run. */
export const stoppedTaskStatuses = { paused: 4, pausing: 5 } as const;

/**
 * What is used of containerd's own interface, `containerd.services.tasks.v1`, for what the Container Runtime Interface lacks: letting go
 * on what is paused. Names and numbers are those that containerd publishes.
 */
export function defineContainerdTasks(): PackageDefinition {
  const id = { fields: { containerId: { type: 'string', id: 1 } } };
  const nested: Definition['nested'] = {
    GetRequest: id,
    Process: { fields: { status: { type: 'int32', id: 4 } } },
    GetResponse: { fields: { process: { type: 'Process', id: 1 } } },
    ResumeTaskRequest: id,
    Nothing: { fields: {} },
    Tasks: {
      methods: {
        Get: { requestType: 'GetRequest', responseType: 'GetResponse', comment: '' },
        Resume: { requestType: 'ResumeTaskRequest', responseType: 'Nothing', comment: '' },
      },
    },
  };
  return fromJSON({ nested: { 'containerd.services.tasks.v1': { nested } } }, { defaults: true });
}
