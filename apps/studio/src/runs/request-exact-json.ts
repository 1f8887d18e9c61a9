import { send, type ApiRequest } from "../api/client.ts";
import { parseExactJson } from "../json/parse-json.ts";

/**
 * As `requestJson`, with all digits of integers: the ones that a number does not hold are an `ExactNumber`. For what is
 * displayed, not computed with.
 *
 * @throws ApiError as `send`.
 */
export async function requestExactJson<Body>(path: string, request?: ApiRequest): Promise<Body> {
  const response = await send(path, request);
  return parseExactJson(await response.text()) as Body;
}
