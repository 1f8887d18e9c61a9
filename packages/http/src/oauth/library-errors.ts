import * as oauth from "oauth4webapi";
import { invalidResponse, refusalError } from "./refusal-error.ts";
import { serverText } from "./server-text.ts";

/**
 * Runs a step of the library and turns its errors into ToolErrors. They are not the cause: they hold the server's answer.
 *
 * @param secrets what was sent, and must not appear in an error.
 */
export async function toToolErrors<T>(
  url: URL,
  secrets: readonly string[],
  step: () => Promise<T>,
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof oauth.ResponseBodyError) {
      const { status, error: code, error_description: description } = error;
      throw refusalError(url.origin, {
        // RFC 6749 section 5.2, as long as any that is registered.
        error: /^[!#-[\]-~]{1,64}$/.test(code) ? serverText(code, secrets) : `${status}`,
        description: serverText(description, secrets),
        status,
      });
    }
    const isInvalid =
      error instanceof oauth.OperationProcessingError ||
      error instanceof oauth.UnsupportedOperationError;
    if (!isInvalid) throw error;
    const { cause, message } = error;
    if (cause instanceof Response && cause.status >= 400) {
      const { status } = cause;
      throw refusalError(url.origin, { error: `${status}`, description: "", status });
    }
    throw invalidResponse(url, 200, `gave an invalid answer: ${message}`);
  }
}
