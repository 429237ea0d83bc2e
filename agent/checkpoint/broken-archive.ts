/** An archive that the runtime called complete is not whole. */
export class BrokenArchive extends Error {
  override readonly name = 'BrokenArchive';

  constructor(fault: string) {
    super(`the container runtime wrote an archive that is not whole: ${fault}`);
  }
}
