/** The reason why a schema cannot be given to a provider at all. */
export class BadSchema extends Error {
  /** Where in the tool's schema: a JSON pointer. */
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}
