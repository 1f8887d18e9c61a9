import { LanguageServer } from "./lsp/server.ts";
import type { LanguageServerOptions } from "./lsp/server.ts";
import { testFunctions } from "./testing/test-functions.ts";

export type { LanguageServerOptions } from "./lsp/server.ts";

/**
 * Serves the Language Server Protocol (3.17) for files `.star` and for markdown artifacts, on the streams of a client.
 *
 * @returns the exit code: 0 if the client has sent `shutdown` before it ended, else 1.
 */
export function serveLanguage(options: LanguageServerOptions): Promise<number> {
  return new LanguageServer(options, testFunctions).run();
}
