import type { JsonObject } from '../../../core/meta/json.ts';
import { readItems, readNumber } from '../../workloads/read-field.ts';

/** With the host's network, every port of a container is the host's: fills `hostPort` in place. */
export function defaultHostNetworkPorts(containers: readonly JsonObject[]): void {
  for (const container of containers) {
    for (const port of readItems(container, 'ports')) {
      if (!readNumber(port, 'hostPort')) port['hostPort'] = port['containerPort'];
    }
  }
}
