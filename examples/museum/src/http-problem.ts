/** One invalid field of a request; `pointer` is a JSON pointer (RFC 6901) or a parameter's name. */
export interface FieldProblem {
  readonly pointer: string;
  readonly detail: string;
}

/** The fields of a problem beside its status and detail. */
export interface HttpProblemOptions {
  /** Each invalid field. */
  readonly errors?: readonly FieldProblem[];
  /** Headers that belong to the status, such as `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * An error answer, sent as `application/problem+json`.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9457
 */
export class HttpProblem extends Error {
  override readonly name: string = "HttpProblem";
  readonly status: number;
  readonly title: string;
  readonly errors: readonly FieldProblem[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, title: string, detail: string, options: HttpProblemOptions = {}) {
    super(detail);
    this.status = status;
    this.title = title;
    this.errors = options.errors ?? [];
    this.headers = options.headers ?? {};
  }

  /** The body of the answer. */
  toJSON(): Record<string, unknown> {
    return {
      type: "about:blank",
      title: this.title,
      status: this.status,
      detail: this.message,
      ...(this.errors.length === 0 ? {} : { errors: this.errors }),
    };
  }
}
