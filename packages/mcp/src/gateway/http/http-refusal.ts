/** JSON-RPC leaves the numbers around it to whoever serves. */
const serverError = -32000;

/** An answer of HTTP in place of the protocol's: a JSON-RPC error without an id, as clients read it. */
export function refusal(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
  code: number = serverError,
): Response {
  const error = { code, message };
  return Response.json({ jsonrpc: "2.0", error, id: null }, { status, headers });
}
