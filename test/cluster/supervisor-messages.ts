/** Order to start a process; its output is appended to `logFile`. */
export interface StartOrder {
  readonly type: 'start';
  readonly name: string;
  readonly command: string;
  readonly words: readonly string[];
  readonly logFile: string;
  /**
   * The command is a wrapper whose child counts: `boots` makes the first process of a machine's namespaces, and everything in them ends
   * with it; `inside` is a process in them.
   */
  readonly machine?: 'boots' | 'inside';
}

/** Order to remove a control group or a network device at the end. */
export interface RemoveOrder {
  readonly type: 'remove';
  readonly what: 'control group' | 'network device';
  readonly name: string;
}

/** What a supervisor is told. */
export type SupervisorOrder = StartOrder | RemoveOrder;

/** What became of an ordered process; `reason` is a signal, an exit code or why it could not start. */
export type SupervisorEvent =
  | { readonly name: string; readonly type: 'started'; readonly pid: number }
  | { readonly name: string; readonly type: 'ended'; readonly reason: string };
