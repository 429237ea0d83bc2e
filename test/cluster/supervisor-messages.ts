/** Order to start a process; its output is appended to `logFile`. */
export interface SupervisorOrder {
  readonly name: string;
  readonly command: string;
  readonly words: readonly string[];
  readonly logFile: string;
}

/** What became of an ordered process; `reason` is a signal, an exit code or why it could not start. */
export type SupervisorEvent =
  | { readonly name: string; readonly type: 'started'; readonly pid: number }
  | { readonly name: string; readonly type: 'ended'; readonly reason: string };
