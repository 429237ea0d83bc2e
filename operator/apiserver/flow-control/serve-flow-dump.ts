import type { Exchange } from '../http/exchange.ts';
import { sendBytes, TEXT_TYPE } from '../http/send-answer.ts';
import { alignTable } from './align-table.ts';
import type { FlowControl } from './flow-control.ts';
import { tabulateExecuting, tabulateLevels, tabulateQueues, tabulateRequests, type DumpRows } from './format-dumps.ts';

/** What the paths of dumps begin with. */
export const FLOW_DUMPS_PREFIX = '/debug/api_priority_and_fairness/';

function tabulate(flowControl: FlowControl, { info, query }: Exchange): DumpRows | undefined {
  switch (info.path.slice(FLOW_DUMPS_PREFIX.length)) {
    case 'dump_priority_levels':
      return tabulateLevels(flowControl.dispatcher.dump());
    case 'dump_queues':
      return tabulateQueues(flowControl.dispatcher.dump());
    case 'dump_requests': {
      const hasDetails = (query.get('includeRequestDetails') ?? '') !== '';
      return tabulateRequests(flowControl.dispatcher.dump(), flowControl.readTime(), hasDetails);
    }
    case 'dump_executing_requests':
      return tabulateExecuting(flowControl.dispatcher.dump(), flowControl.readTime());
    default:
      return undefined;
  }
}

/** Serves what goes on in flow control, as text; resolves to false for another path. */
export async function serveFlowDump(flowControl: FlowControl | undefined, exchange: Exchange): Promise<boolean> {
  if (flowControl === undefined || !exchange.info.path.startsWith(FLOW_DUMPS_PREFIX)) return false;
  const rows = tabulate(flowControl, exchange);
  if (rows === undefined) return false;
  await sendBytes(exchange, 200, TEXT_TYPE, await alignTable(rows));
  return true;
}
