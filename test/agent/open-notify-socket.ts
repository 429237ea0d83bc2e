import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A message of a program to its service manager, and when it came. */
export interface Notification {
  readonly text: string;
  readonly atMillis: number;
  /** The process that it came from, as the kernel says. */
  readonly senderId: number;
}

/** The socket of a service manager, as sd_notify's protocol has it. */
export interface NotifySocket {
  /** For `NOTIFY_SOCKET`. */
  readonly path: string;
  /** All that came so far, but for what the tools say among themselves. */
  readonly received: readonly Notification[];
  /** Waits until `count` messages `text` have come. */
  waitFor(text: string, count?: number): Promise<Notification>;
  close(): Promise<void>;
}

/** Node has no datagram sockets of the unix family. Descriptors that come along are closed at once, which is what the sender waits for. */
const script = `
import os, socket, struct, sys, time
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
receiver.bind(sys.argv[1])
print(0, 0, 'bound', flush=True)
while True:
    text, extras, _, _ = receiver.recvmsg(4096, 1024)
    sender = 0
    for level, kind, data in extras:
        if kind == socket.SCM_CREDENTIALS:
            sender = struct.unpack('3i', data)[0]
        elif kind == socket.SCM_RIGHTS:
            for (descriptor,) in struct.iter_unpack('i', data):
                os.close(descriptor)
    print(int(time.time() * 1000), sender, text.decode().replace('\\n', ' '), flush=True)
`;

/** Why there can be no such socket here; `undefined` when there can. */
export function notifySkipReason(): string | undefined {
  for (const [program, word] of [
    ['python3', '--version'],
    ['systemd-notify', '--version'],
  ] as const) {
    try {
      execFileSync(program, [word], { stdio: 'ignore' });
    } catch {
      return `needs ${program}`;
    }
  }
  return undefined;
}

/** Opens the socket of a service manager. */
export async function openNotifySocket(): Promise<NotifySocket> {
  const folder = await mkdtemp(join(tmpdir(), 'bailiwick-notify-'));
  const path = join(folder, 'socket');
  const child: ChildProcess = spawn('python3', ['-c', script, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const received: Notification[] = [];
  const listeners = new Set<() => void>();
  const bound = Promise.withResolvers<void>();
  void exited.then(() => bound.reject(new Error('the socket of the service manager is gone')));
  createInterface({ input: child.stdout as NonNullable<ChildProcess['stdout']> }).on('line', (line) => {
    const [millis = '', sender = '', ...words] = line.split(' ');
    const text = words.join(' ');
    if (text === 'bound') bound.resolve();
    else if (text !== 'BARRIER=1') received.push({ text, atMillis: Number(millis), senderId: Number(sender) });
    for (const listener of listeners) listener();
  });
  await bound.promise;
  return {
    path,
    received,
    async waitFor(text, count = 1) {
      const find = () => received.filter((notification) => notification.text === text)[count - 1];
      for (;;) {
        const found = find();
        if (found !== undefined) return found;
        await new Promise<void>((resolve) => {
          const listener = (): void => {
            listeners.delete(listener);
            resolve();
          };
          listeners.add(listener);
        });
      }
    },
    async close() {
      child.kill('SIGKILL');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
