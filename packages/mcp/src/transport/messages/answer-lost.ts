/**
 * The server has accepted a request, and does not give its answer: it may have been run, so that it is not sent again.
 * Not thrown for what is refused before it begins: see `isLostSession`.
 */
export class AnswerLost extends Error {
  /** @param message what the server did instead, as the rest of a sentence that begins with its name. */
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}
