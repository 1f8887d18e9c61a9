import type { SourceProblem } from "@toolweave/core/adapter";
import type { ApiDocument } from "../operations/document.ts";
import type { Operation } from "../document/operation.ts";
import { chooseServer, findOpenVariables, formatServer, type ServerChoice } from "./servers.ts";

type KnownServers = Pick<ApiDocument, "servers" | "version">;

/** Returns the server that `servers` has in place of one of the document, by its URL with or without values. */
export function findReplacedServer(
  server: string,
  servers: Readonly<Record<string, string | URL>> = {},
  { serverTemplates }: Pick<ApiDocument, "serverTemplates">,
): string | URL | undefined {
  const template = serverTemplates.get(server) ?? server;
  for (const written of [server, template]) {
    if (Object.hasOwn(servers, written)) return servers[written];
  }
  return undefined;
}

/**
 * Returns the problems of the document's own servers, once for all operations that use them: there is none, or a
 * variable has no value. `baseUrl` solves all of them.
 */
export function findServerProblems(
  { servers, version }: KnownServers,
  operations: readonly Operation[],
  choice: ServerChoice,
): SourceProblem[] {
  if (choice.baseUrl !== undefined) return [];
  const problems: SourceProblem[] = [];
  // Swagger 2.0 uses other fields, and a missing server has no location.
  const pointer = servers.length === 0 || version === "2.0" ? "" : "/servers";
  const chosen = chooseServer(servers, choice);
  if (typeof chosen === "string") {
    const count = operations.filter(({ hasOwnServers }) => hasOwnServers !== true).length;
    if (count === 0) return [];
    const which =
      count === operations.length ? "no tool" : `${count} of ${operations.length} tools`;
    const cannot = count === operations.length ? "can be called" : "cannot be called";
    const reason = `${chosen.charAt(0).toUpperCase()}${chosen.slice(1)}`;
    const message = `${reason}: ${which} ${cannot}. Set \`baseUrl\`.`;
    return [{ subject: "servers", message, pointer, severity: "warning" }];
  }
  for (const server of servers) {
    const [open] = findOpenVariables(server);
    if (open === undefined || choice.replaced?.(server) !== undefined) continue;
    const message = `The server ${formatServer(server)} is not used, because its variable ${JSON.stringify(open.slice(0, 40))} has no value. Set it in \`serverVariables\`.`;
    problems.push({
      subject: "servers",
      message,
      pointer,
      severity: "warning",
    });
  }
  return problems;
}
