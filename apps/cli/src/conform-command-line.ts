import { shown } from "./store/pending-call-context.ts";
import type { ConformOptions } from "./commands/conform/run.ts";
import { withoutSecrets } from "./input/secret-options.ts";
import { safeLine } from "./render/safe-text.ts";
import { shellLine } from "./render/shell-line.ts";

/**
 * The command line that tests the same again, for a POSIX shell. A secret has an environment variable
 * in its place.
 */
export function conformCommand(
  module: string | undefined,
  options: ConformOptions,
  more: readonly string[],
): string {
  const { openapi = [], mcp, config, baseUrl, timeout, deadline } = options;
  const { allowOrigin = [], allowReference = [] } = options;
  const repeated = (name: string, values: readonly string[]): string[] =>
    values.flatMap((value) => [name, value]);
  const secret = (name: "--auth" | "--header", values: readonly string[] = []): string[] => {
    const { kept, withheld } = withoutSecrets(name, values);
    return [...repeated(name, kept), ...withheld.flat()];
  };
  const words = [
    ...(module === undefined ? [] : [module]),
    ...repeated("--openapi", openapi.map(shown)),
    ...(mcp === undefined ? [] : ["--mcp", shown(mcp)]),
    ...(config === undefined ? [] : ["--config", config]),
    ...(baseUrl === undefined ? [] : ["--base-url", baseUrl]),
    ...secret("--header", options.header),
    ...secret("--auth", options.auth),
    ...repeated("--allow-origin", allowOrigin),
    ...repeated("--allow-reference", allowReference),
    ...(timeout === undefined ? [] : ["--timeout", String(timeout)]),
    ...(deadline === undefined ? [] : ["--deadline", String(deadline)]),
    ...more,
  ];
  return shellLine(["toolweave", "conform", ...words.map(safeLine)]);
}
