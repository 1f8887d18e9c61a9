import type {
  JsonObject,
  JsonSchema,
  PermissionRequest,
  Suspension,
  Tool,
  ToolContext,
  ToolOutput,
  ToolSpec,
} from "@toolweave/core";
import { withSignIn, type Resumed } from "../calls/with-sign-in.ts";
import type { ServerAuth } from "../auth/server-auth.ts";

/** Parts of a tool that accesses a server's resources or prompts. */
export interface ProviderToolParts {
  /** Name with the prefix. */
  readonly name: string;
  /** `resources/read` */
  readonly method: string;
  readonly title: string;
  readonly description: string;
  readonly properties: JsonObject;
  readonly required?: readonly string[];
  readonly timeoutMs: number | undefined;
  /** Identity of the program behind the server's name: see `programOrigin`. */
  readonly program: JsonObject;
  /** Targets of a call, for the policy. Absent: only the server. */
  targets?(args: JsonObject): readonly PermissionRequest[];
  /** @param resumed Value that the call is resumed with, without sign-ins. */
  run(args: JsonObject, ctx: ToolContext, resumed: Resumed): Promise<ToolOutput | Suspension>;
}

/** A tool that accesses a server's resources or prompts. It only reads, if the server follows the protocol. */
export class ProviderTool implements Tool {
  readonly spec: ToolSpec;
  readonly #auth: ServerAuth | undefined;
  readonly #run: ProviderToolParts["run"];
  readonly #targets: ProviderToolParts["targets"];

  constructor(server: string, auth: ServerAuth | undefined, parts: ProviderToolParts) {
    const {
      name,
      method,
      title,
      description,
      properties,
      required = [],
      timeoutMs,
      program,
      run,
    } = parts;
    const inputSchema: JsonSchema = {
      type: "object",
      properties,
      ...(required.length === 0 ? {} : { required: [...required] }),
      additionalProperties: false,
    };
    this.#auth = auth;
    this.#run = run;
    this.#targets = parts.targets;
    this.spec = {
      name,
      title,
      description,
      inputSchema,
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      provenance: { adapter: "mcp", source: server, origin: { method, ...program } },
    };
  }

  preflight(args: JsonObject): readonly PermissionRequest[] {
    return this.#targets?.(args) ?? [];
  }

  invoke(args: JsonObject, ctx: ToolContext): Promise<ToolOutput | Suspension> {
    return withSignIn(this.#auth, ctx, (resumed) => this.#run(args, ctx, resumed));
  }
}
