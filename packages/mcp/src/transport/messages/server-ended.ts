/** The connection to a server is gone, or its process could not be started or has ended. */
export class ServerEnded extends Error {
  /** What its process had written to its standard error last. */
  readonly said: string;

  constructor(message: string, said: string, cause?: unknown) {
    super(message, { cause });
    this.said = said;
  }
}
