/** Names of problems, for programs. The meaning of each is in the document of the API. */
export type ProblemCode =
  | "invalid_json"
  | "invalid_query"
  | "unauthenticated"
  | "host_not_allowed"
  | "origin_not_allowed"
  | "insufficient_scope"
  | "code_invalid"
  | "not_found"
  | "not_available"
  | "method_not_allowed"
  | "approval_answered"
  | "approval_running"
  | "approval_changed"
  | "approval_expired"
  | "approval_nested"
  | "outcome_unknown"
  | "tool_changed"
  | "tool_unavailable"
  | "call_conflict"
  | "call_waiting"
  | "task_not_cancelled"
  | "not_searchable"
  | "body_too_large"
  | "unsupported_media_type"
  | "invalid_body"
  | "answers_invalid"
  | "too_many_requests"
  | "internal"
  | "store_unavailable"
  | "shutting_down";

/** The body of an error: a problem document (RFC 9457) without a type of its own, with the member `code`. */
export interface ProblemDocument {
  readonly type: "about:blank";
  /** The phrase of the status, as RFC 9457 demands for `about:blank`. */
  readonly title: string;
  readonly status: number;
  readonly code: ProblemCode;
  /** A text for a person: what is wrong, and what to do. */
  readonly detail: string;
  /** With `approval_answered` and `approval_running`: who answered, if this process knows. */
  readonly answeredBy?: string;
  /** When: milliseconds since the epoch. */
  readonly answeredAt?: number;
  /** With `approval_expired`: milliseconds since the epoch. */
  readonly expiresAt?: number;
  /** With `insufficient_scope`: the scope that is missing. */
  readonly scope?: string;
}

/** The statuses of problems with their phrases (RFC 9110, section 15). */
const phrases = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
} as const;

const statuses: Readonly<Record<ProblemCode, keyof typeof phrases>> = {
  invalid_json: 400,
  invalid_query: 400,
  unauthenticated: 401,
  host_not_allowed: 403,
  origin_not_allowed: 403,
  insufficient_scope: 403,
  code_invalid: 403,
  not_found: 404,
  not_available: 404,
  method_not_allowed: 405,
  approval_answered: 409,
  approval_running: 409,
  approval_changed: 409,
  approval_expired: 409,
  approval_nested: 409,
  outcome_unknown: 409,
  tool_changed: 409,
  tool_unavailable: 409,
  call_conflict: 409,
  call_waiting: 409,
  task_not_cancelled: 409,
  not_searchable: 409,
  body_too_large: 413,
  unsupported_media_type: 415,
  invalid_body: 422,
  answers_invalid: 422,
  too_many_requests: 429,
  internal: 500,
  store_unavailable: 503,
  shutting_down: 503,
};

/** The codes that responses of one status can have. */
export function getCodes(status: number): readonly ProblemCode[] {
  return (Object.keys(statuses) as ProblemCode[]).filter((code) => statuses[code] === status);
}

/** The phrase of a status. */
export function getPhrase(status: number): string {
  return phrases[status as keyof typeof phrases];
}

/** Ends the handling of a request with a problem. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly headers: Readonly<Record<string, string>>;
  readonly #members: Partial<ProblemDocument>;

  /**
   * @param detail what is wrong, and what to do: one or two sentences.
   * @param members further members of the document.
   */
  constructor(
    code: ProblemCode,
    detail: string,
    members: Partial<ProblemDocument> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(detail);
    this.code = code;
    this.headers = headers;
    this.#members = members;
  }

  /** The response that reports it. */
  toResponse(): Response {
    const status = statuses[this.code];
    const document: ProblemDocument = {
      type: "about:blank",
      title: phrases[status],
      status,
      code: this.code,
      detail: this.message,
      ...this.#members,
    };
    const headers = { "content-type": "application/problem+json", ...this.headers };
    return new Response(JSON.stringify(document), { status, headers });
  }
}
