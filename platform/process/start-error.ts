/** Why a program cannot start, for the person who started it: the message says what to mend. */
export class StartError extends Error {
  override readonly name: string = 'StartError';
}
