import {
  lazyProperty,
  prefixName,
  ToolError,
  visibleText,
  type JsonObject,
  type JsonSchema,
  type PermissionRequest,
  type SourceProblem,
  type Tool,
  type ToolAvailability,
  type ToolContext,
  type ToolOutput,
  type ToolSpec,
} from "@toolweave/core";
import { layoutArguments, type ArgumentLayout } from "./arguments/argument-layout.ts";
import { planWithArtifacts } from "./request/artifact-files.ts";
import { inputSchema, selfContained } from "./arguments/input-schema.ts";
import { isJsonMediaType } from "./request/media-type.ts";
import { methodAnnotations } from "./arguments/method-annotations.ts";
import type { OperationCall, OperationCaller } from "./exchange/operation-caller.ts";
import {
  OperationError,
  type Operation,
  type OperationDetails,
  type SelfContainedSchema,
} from "./document/operation.ts";
import { outputSchema, successMedia } from "./arguments/output-schema.ts";
import { requestPlan, type PlannedRequest, type RequestPlan } from "./request/request-plan.ts";
import type { HostNames } from "./arguments/reserved-names.ts";
import { credentialPlan } from "./auth/security.ts";
import type { OpenApiAuth } from "./openapi-options.ts";
import { chooseServer, type Server } from "./request/servers.ts";
import { toolDescription } from "./arguments/tool-description.ts";

/** What the tools of one source share. */
export interface ToolHost {
  readonly sourceId: string;
  readonly prefix: string | undefined;
  readonly timeoutMs: number | undefined;
  readonly auth: OpenApiAuth;
  /** Headers of the host's own, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly names: HostNames;
  readonly baseUrl: URL | undefined;
  readonly documentUrl: string | undefined;
  /** Differs between two loads. */
  readonly generation: string;
  /** Why credentials must not go to an origin; the end of a sentence. */
  withheld(origin: string): string | undefined;
  /** A restriction that was found when the operation was first needed. */
  warn(problem: SourceProblem): void;
  /** The operation cannot be a tool after all. Without `problem` the document has named it already. */
  drop(tool: OperationTool, problem: SourceProblem | undefined): void;
  /** Rejects with `ToolError` `unavailable` once the source is closed. */
  caller(): Promise<OperationCaller>;
}

interface Realised {
  readonly details: OperationDetails;
  readonly layout: ArgumentLayout;
}

interface Ready {
  readonly plan: RequestPlan;
  readonly call: OperationCall;
}

const available: ToolAvailability = { status: "available" };

/** One operation as a tool. References, schemas and the request plan are made when first needed, and kept. */
export class OperationTool implements Tool {
  readonly spec: ToolSpec;
  readonly outputValidation = "warning";
  /** Only for what may change something; a read proposes nothing. */
  declare readonly preflight?: (args: JsonObject) => readonly PermissionRequest[];
  readonly #operation: Operation;
  readonly #host: ToolHost;
  #realised: Realised | undefined;
  #ready: Ready | undefined;
  #failure: ToolError | undefined;
  readonly #name: string;
  #cleaned = false;

  constructor(operation: Operation, host: ToolHost) {
    this.#operation = operation;
    this.#host = host;
    const { name, method, path, operationId, summary } = operation;
    const annotations = methodAnnotations(method);
    this.#name = host.prefix === undefined ? name : prefixName(host.prefix, name);
    // The name is clean; what it was made of may not be.
    this.#shown(operationId ?? path);
    const title = summary === undefined ? "" : this.#shown(summary);
    const base = {
      name: this.#name,
      ...(title.trim() === "" ? {} : { title }),
      annotations,
      ...(host.timeoutMs === undefined ? {} : { timeoutMs: host.timeoutMs }),
      provenance: {
        adapter: "openapi",
        source: host.sourceId,
        origin: operationId === undefined ? { method, path } : { operationId, method, path },
      },
    };
    const described = lazyProperty(base, "description", () =>
      toolDescription(operation, (text) => this.#shown(text)),
    );
    const taking = lazyProperty(described, "inputSchema", () => this.#inputSchema());
    this.spec = lazyProperty(taking, "outputSchema", () => this.#outputSchema()) as ToolSpec;
    if (annotations.readOnlyHint !== true) this.preflight = (args) => this.#intention(args);
  }

  get fingerprint(): string {
    return `${this.#host.generation}#${this.#operation.pointer}`;
  }

  get availability(): ToolAvailability {
    const failure = this.#failure;
    return failure === undefined ? available : { status: "unavailable", reason: failure.message };
  }

  /** Makes everything that is otherwise made when needed, so that what is wrong shows. */
  realise(): void {
    void this.spec.description;
    void this.spec.inputSchema;
    void this.spec.outputSchema;
    const realised = this.#realise();
    if (realised !== undefined) this.#warnings(realised);
  }

  async invoke(args: JsonObject, ctx: ToolContext): Promise<ToolOutput> {
    const { plan, call } = this.#prepare();
    const request = await planWithArtifacts(plan, args, ctx);
    const caller = await this.#host.caller();
    return caller.call(call, request, ctx);
  }

  #intention(args: JsonObject): readonly PermissionRequest[] {
    const { method, origin, path, query }: PlannedRequest = this.#prepare().plan(args);
    const shown = query === "" ? path : `${path}?${query}`;
    return [
      {
        kind: "network",
        target: `${method} ${origin}${path}`,
        summary: `${method} ${shown.length > 300 ? `${shown.slice(0, 300)}…` : shown} on ${origin}`,
      },
    ];
  }

  #inputSchema(): JsonSchema {
    const realised = this.#realise();
    if (realised === undefined) return { type: "object" };
    const { layout } = realised;
    for (const { parameter } of layout.parameters) this.#lookAt(parameter.schema);
    this.#lookAt(layout.body?.media.schema);
    this.#lookAt(layout.body?.media.itemSchema);
    return inputSchema(layout, (text) => this.#shown(text));
  }

  #outputSchema(): JsonSchema | undefined {
    const realised = this.#realise();
    const schema = realised === undefined ? undefined : outputSchema(realised.details);
    if (schema === undefined) return undefined;
    this.#lookAt(schema);
    return selfContained(schema);
  }

  /** What a model reads of a text of the document. */
  #shown(text: string): string {
    const visible = visibleText(text);
    if (visible !== text) this.#warnOfHidden();
    return visible;
  }

  #lookAt(schema: SelfContainedSchema | undefined): void {
    if (schema?.cleaned === true) this.#warnOfHidden();
  }

  /** Once, whatever is found later. */
  #warnOfHidden(): void {
    if (this.#cleaned) return;
    this.#cleaned = true;
    const { method, path, pointer } = this.#operation;
    this.#host.warn({
      subject: visibleText(`${method} ${path}`),
      message: `Hidden or broken characters were taken out of what the document says of the tool ${this.#name}: look at it before you trust it.`,
      pointer,
      severity: "warning",
    });
  }

  /** Nothing when the operation is broken: a list that reads a schema must not fail with it. */
  #realise(): Realised | undefined {
    if (this.#realised !== undefined || this.#failure !== undefined) return this.#realised;
    const { path, pointer } = this.#operation;
    let details: OperationDetails | undefined;
    try {
      details = this.#operation.details();
      const layout = layoutArguments(details, path, pointer, this.#host.names);
      this.#realised = { details, layout };
    } catch (error) {
      this.#fail(error, details === undefined && error instanceof OperationError);
    }
    return this.#realised;
  }

  #fail(error: unknown, isReported: boolean): void {
    const { method, path, pointer } = this.#operation;
    const reason = error instanceof Error ? error.message : String(error);
    this.#failure = new ToolError(
      "unavailable",
      `${this.spec.name} cannot be called: ${reason}. The API's document has to be corrected; use another tool.`,
      { retryable: false, cause: error },
    );
    const problem = {
      subject: `${method} ${path}`,
      message: `${reason}.`,
      pointer: error instanceof OperationError ? error.pointer : pointer,
    };
    this.#host.drop(this, isReported ? undefined : problem);
  }

  #prepare(): Ready {
    if (this.#ready !== undefined) return this.#ready;
    const realised = this.#realise();
    if (realised === undefined || this.#failure !== undefined) throw this.#failure as ToolError;
    const { details, layout } = realised;
    const { method, path } = this.#operation;
    const { baseUrl, documentUrl, auth, headers } = this.#host;
    const server = chooseServer(details.servers, baseUrl, documentUrl);
    if (typeof server === "string") {
      throw new ToolError(
        "unavailable",
        `${this.spec.name} cannot be called: ${server}. The host has to pass \`baseUrl\`.`,
        { retryable: false },
      );
    }
    const success = successMedia(details);
    const withheld = this.#host.withheld(server.origin);
    const accept = acceptHeader(success.map(({ mediaType }) => mediaType));
    this.#ready = {
      plan: this.#plan(server, layout, accept),
      call: {
        label: `${method} ${path}`,
        writes: this.spec.annotations.readOnlyHint !== true,
        expectsJson:
          success.length > 0 && success.every(({ mediaType }) => isJsonMediaType(mediaType)),
        credentials: credentialPlan(details.security, auth),
        headers,
        ...(withheld === undefined ? {} : { withheld }),
      },
    };
    return this.#ready;
  }

  #plan(server: Server, layout: ArgumentLayout, accept: string): RequestPlan {
    const { method, path } = this.#operation;
    try {
      return requestPlan(method, path, server, layout, accept);
    } catch (error) {
      this.#fail(error, false);
      throw this.#failure as ToolError;
    }
  }

  #warnings({ details, layout }: Realised): void {
    for (const response of details.responses) void response.media;
    const { method, path, pointer } = this.#operation;
    const { baseUrl, documentUrl, auth } = this.#host;
    const warn = (message: string, at: string): void =>
      this.#host.warn({ subject: `${method} ${path}`, message, pointer: at, severity: "warning" });
    if (details.body !== undefined && details.body.media.length > 0 && layout.body === undefined) {
      const types = details.body.media.map(({ mediaType }) => mediaType).join(", ");
      warn(`It is called without a body: ${types} is not supported yet.`, `${pointer}/requestBody`);
    }
    const { unsupported } = credentialPlan(details.security, auth);
    if (unsupported !== undefined) {
      warn(`It is called without these credentials: ${unsupported}.`, `${pointer}/security`);
    }
    const server = chooseServer(details.servers, baseUrl, documentUrl);
    if (typeof server === "string") {
      warn(`It cannot be called yet: ${server}; pass \`baseUrl\`.`, pointer);
    }
  }
}

function acceptHeader(mediaTypes: readonly string[]): string {
  const json = mediaTypes.filter((type) => isJsonMediaType(type));
  const others = mediaTypes.filter(
    (type) => !isJsonMediaType(type) && /^[\w.+-]+\/[\w.+-]+(?:\s*;.*)?$/.test(type),
  );
  const known = [...new Set([...json, ...others])];
  return known.length === 0 ? "application/json, */*;q=0.8" : `${known.join(", ")}, */*;q=0.1`;
}
