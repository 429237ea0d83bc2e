import { parentPort, workerData } from 'node:worker_threads';
import { HistoryFile } from './history-file.ts';
import type { RowPage, WriterFault, WriterOptions, WriterReply, WriterRequest } from './writer-messages.ts';

/** Entry of the thread that owns the SQLite file; see `writer-messages.ts` for what it is asked and answers. */
function runWriter(): void {
  const port = parentPort!;
  const send = (reply: WriterReply, transfer?: ArrayBuffer[]): void => port.postMessage(reply, transfer);
  const sendPage = (id: number, page: RowPage, reached: number): void =>
    send({ type: 'page', id, reached, rows: page.rows, count: page.count }, [page.rows]);

  let file: HistoryFile;
  try {
    file = new HistoryFile((workerData as WriterOptions).file);
    const opened = file.load((page) => send({ type: 'objects', ...page }, [page.rows]));
    send({ type: 'opened', ...opened });
  } catch (error) {
    send({ type: 'openFault', fault: toFault(error) });
    port.close();
    return;
  }

  let failedEpoch = -1;
  const sweep = (): void => {
    try {
      if (file.sweepSome()) setImmediate(sweep);
    } catch {
      // Nothing is lost: the next compaction, or the next start, goes on where this one stopped.
    }
  };
  sweep();

  const answer = (request: WriterRequest): void => {
    const { id } = request;
    switch (request.type) {
      case 'commit':
        if (request.epoch <= failedEpoch) throw new Error('an earlier write failed');
        try {
          file.append(request);
        } catch (error) {
          failedEpoch = request.epoch;
          throw error;
        }
        return send({ type: 'done', id, spare: request.rows }, [request.rows]);
      case 'changes': {
        const { prefix, after, upTo, max, keysOnly } = request;
        const page = file.readChanges(prefix, after, upTo, max, keysOnly);
        return sendPage(id, page, page.reached);
      }
      case 'values':
        return sendPage(id, file.readRevisions(request.revisions), 0);
      case 'compact':
        file.compact(request.revision);
        sweep();
        return send({ type: 'done', id });
      case 'setting':
        file.writeSetting(request.name, request.value);
        return send({ type: 'done', id });
      case 'close':
        file.close();
        send({ type: 'done', id });
        return port.close();
    }
  };

  port.on('message', (request: WriterRequest) => {
    try {
      answer(request);
    } catch (error) {
      send({ type: 'fault', id: request.id, fault: toFault(error) });
    }
  });
}

function toFault(error: unknown): WriterFault {
  const { message, code, errcode } = error as Error & { code?: string; errcode?: number };
  return { message, code, errcode };
}

runWriter();
