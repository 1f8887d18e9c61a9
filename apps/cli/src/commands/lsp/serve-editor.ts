import { serveLanguage } from "@toolweave/markdown/lsp";
import { version, type CliIo } from "../../process/cli-io.ts";

/** `toolweave lsp`: answers the requests of an editor until it ends. */
export function serveEditor({ signal, stdin, stdout }: CliIo): Promise<number> {
  return serveLanguage({ input: stdin, output: stdout, signal, version: version() });
}
