/** Thrown when a parse is given up; `fault`, if there is one, concerns the source as a whole. */
export class ParseGivenUp extends Error {
  override readonly name = 'ParseGivenUp';
  readonly fault: string | undefined;

  constructor(fault?: string) {
    super(fault);
    this.fault = fault;
  }
}
