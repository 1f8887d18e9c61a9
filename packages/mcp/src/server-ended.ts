/** The server's process could not be started, or has ended. */
export class ServerEnded extends Error {
  /** What it had written to its standard error last. */
  readonly said: string;

  constructor(message: string, said: string, cause?: unknown) {
    super(message, { cause });
    this.said = said;
  }
}
