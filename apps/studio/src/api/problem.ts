/** A request that was refused, or that did not reach the server. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** The HTTP status; 0: the server did not answer. */
  readonly status: number;
  /** The name of the problem, such as `approval_changed`. */
  readonly code: string;
  /** All members of the problem document. */
  readonly document: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    code: string,
    message: string,
    document: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.document = document;
  }
}

/** Reads the problem document of a response (RFC 9457). A body that is none is described by its status. */
export async function readProblem(response: Response): Promise<ApiError> {
  let document: Readonly<Record<string, unknown>> = {};
  try {
    const body: unknown = await response.json();
    if (typeof body === "object" && body !== null) document = { ...body };
  } catch {
    // No JSON: the status says what is known.
  }
  const { code, detail, title } = document;
  const text = [detail, title].find((each) => typeof each === "string" && each !== "");
  return new ApiError(
    response.status,
    typeof code === "string" ? code : `http_${response.status}`,
    typeof text === "string" ? text : `The server answered with the status ${response.status}.`,
    document,
  );
}
