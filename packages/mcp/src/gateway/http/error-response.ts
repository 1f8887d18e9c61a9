/** First code that JSON-RPC reserves for server errors. */
const serverError = -32000;

/** Creates an HTTP response that rejects a request: a JSON-RPC error without an id. */
export function toErrorResponse(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
  code: number = serverError,
): Response {
  const error = { code, message };
  return Response.json({ jsonrpc: "2.0", error, id: null }, { status, headers });
}
