import {
  prefixName,
  ToolError,
  type ItemStream,
  type JsonObject,
  type JsonSchema,
  type PermissionRequest,
  type Suspension,
  type Tool,
  type ToolAvailability,
  type ToolContext,
  type ToolOutput,
  type ToolSpec,
} from "@toolweave/core";
import { layoutArguments, type ArgumentLayout } from "../arguments/argument-layout.ts";
import { checkFixed, offeredArguments } from "../arguments/offered-arguments.ts";
import { planWithFixed, planWithArtifacts } from "../request/complete-plan.ts";
import type { OperationSettings } from "../settings/operation-settings.ts";
import { OperationSpec, type RealisedOperation } from "./operation-spec.ts";
import { acceptHeader, isJsonMediaType } from "../document/media-type.ts";
import { idempotencyHeader, type IdempotencyHeader } from "../parameters/idempotency-header.ts";
import { declaredAnswers } from "../exchange/responses/declared-answers.ts";
import type { LinkTarget } from "../exchange/follow-ups/linked-calls.ts";
import type { OperationCall } from "../exchange/operation-caller.ts";
import { pageArguments } from "../exchange/follow-ups/page-arguments.ts";
import { OperationError, type Operation, type OperationDetails } from "../document/operation.ts";
import { successMedia } from "./output-schema.ts";
import { requestPlan, type RequestPlan } from "../request/request-plan.ts";
import { addressForm, displayRequest, type AddressForm } from "../request/displayed-request.ts";
import { credentialPlan, type CredentialPlan } from "../auth/security.ts";
import type { ToolHost } from "./tool-host.ts";
import { chooseServer, type ChosenServer, type Server } from "../request/servers.ts";

interface Ready {
  readonly plan: RequestPlan;
  /** Absent: the document declares none, or the model gives it. */
  readonly idempotency?: IdempotencyHeader;
  readonly call: OperationCall;
}

/** Characters of an address that core takes as a permission's target. */
const maxTarget = 20_000;

const available: ToolAvailability = { status: "available" };

/** One operation as a tool. References, schemas and the request plan are made when first needed, and kept. */
export class OperationTool implements Tool {
  readonly spec: ToolSpec;
  readonly outputValidation = "warning";
  /** Only for what may change something; a read proposes nothing. */
  declare readonly preflight?: (args: JsonObject) => readonly PermissionRequest[];
  readonly #described: OperationSpec;
  readonly #operation: Operation;
  readonly #settings: OperationSettings;
  readonly #host: ToolHost;
  #realised: RealisedOperation | undefined;
  #ready: Ready | undefined;
  #failure: ToolError | undefined;
  /** Found when a person is first asked. */
  #addressForm: AddressForm | undefined;

  constructor(operation: Operation, settings: OperationSettings, host: ToolHost) {
    this.#operation = operation;
    this.#settings = settings;
    this.#host = host;
    const { prefix } = host;
    const name = prefix === undefined ? settings.name : prefixName(prefix, settings.name);
    this.#described = new OperationSpec(name, operation, settings, host, () => this.#realise());
    this.spec = this.#described.spec;
    const { readOnlyHint } = this.spec.annotations;
    if (readOnlyHint !== true) this.preflight = (args) => this.#intention(args);
  }

  /** True when that is its name, without the prefix. */
  isCalled(name: string): boolean {
    return this.#settings.name === name;
  }

  get argumentsSchema(): JsonSchema {
    return this.#described.argumentsSchema;
  }

  get fingerprint(): string {
    return `${this.#host.generation}#${this.#operation.pointer}`;
  }

  get availability(): ToolAvailability {
    const failure = this.#failure;
    return failure === undefined ? available : { status: "unavailable", reason: failure.message };
  }

  /** Its operation, and whether its schemas were needed yet: nothing is made to find out. */
  get state(): { readonly operation: Operation; readonly isRealised: boolean } {
    return { operation: this.#operation, isRealised: this.#realised !== undefined };
  }

  /** Makes everything that is otherwise made when needed, so that what is wrong shows. */
  realise(): void {
    void this.spec.description;
    void this.spec.inputSchema;
    void this.spec.outputSchema;
    const realised = this.#realise();
    if (realised !== undefined) this.#warnings(realised);
  }

  /** Looks at the values that the host fixes: one that does not fit makes the tool unavailable. */
  async checkFixed(): Promise<void> {
    const { fixed } = this.#settings;
    const realised = fixed === undefined ? undefined : this.#realise();
    if (fixed === undefined || realised === undefined) return;
    try {
      await checkFixed(realised.layout, fixed, this.#operation.pointer);
    } catch (error) {
      this.#fail(error, false);
    }
  }

  async invoke(args: JsonObject, ctx: ToolContext): Promise<ToolOutput | Suspension | ItemStream> {
    const { plan, call, idempotency } = this.#prepare();
    const request = await planWithArtifacts(plan, args, ctx);
    if (idempotency !== undefined) {
      request.headers[idempotency.name] = idempotency.value(await ctx.idempotencyKey());
    }
    const caller = await this.#host.caller();
    return caller.call(call, request, ctx, args);
  }

  /** What a link to this operation needs to know, if the link leads here (OpenAPI 3.2, section 4.20). */
  linkTarget({ operationId, operationRef }: JsonObject): LinkTarget | undefined {
    const { operationId: own, pointer } = this.#operation;
    const isThis =
      operationId === undefined
        ? operationRef === (pointer.startsWith("#") ? pointer : `#${pointer}`)
        : operationId === own;
    const layout = isThis ? this.#realise()?.offered : undefined;
    return layout === undefined ? undefined : { name: this.spec.name, layout };
  }

  #intention(args: JsonObject): readonly PermissionRequest[] {
    const { plan } = this.#prepare();
    this.#addressForm ??= addressForm((this.#realised as RealisedOperation).layout);
    const { method, origin, path, query } = displayRequest(
      plan,
      args,
      this.#addressForm,
      this.#operation.path,
    );
    const shown = query === "" ? path : `${path}?${query}`;
    const target = `${method} ${origin}${shown}`;
    if (target.length > maxTarget) {
      throw new ToolError(
        "invalid_arguments",
        `${this.spec.name} was not called: its address has ${target.length} characters, and a person or a rule that decides about it reads ${maxTarget} at most. Send less in its path and query.`,
      );
    }
    return [
      {
        kind: "network",
        target,
        summary: `${method} ${shown.length > 300 ? `${shown.slice(0, 300)}…` : shown} on ${origin}`,
      },
    ];
  }

  /** Nothing when the operation is broken: a list that reads a schema must not fail with it. */
  #realise(): RealisedOperation | undefined {
    if (this.#realised !== undefined || this.#failure !== undefined) return this.#realised;
    const { path, pointer } = this.#operation;
    const { layoutOptions: wishes } = this.#settings;
    let details: OperationDetails | undefined;
    try {
      details = this.#operation.details(this.#settings.writable);
      const layout = layoutArguments(details, path, pointer, this.#host.names, wishes);
      const warn = (message: string): void => {
        const subject = `${this.#operation.method} ${path}`;
        this.#host.warn({ subject, message, pointer, severity: "warning" });
      };
      // It may say what is deleted.
      if (layout.unwritable !== undefined && this.#operation.method === "DELETE") {
        throw new OperationError(layout.unwritable, pointer);
      }
      if (layout.unwritable !== undefined)
        warn(`It is called without a body: ${layout.unwritable}.`);
      for (const message of layout.warnings ?? []) warn(message);
      const offered = offeredArguments(layout, this.#settings, pointer, warn);
      this.#realised = { details, layout, offered };
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
    const { details, layout, offered } = realised;
    const { method, path } = this.#operation;
    const { headers, collectPages } = this.#host;
    const server = this.#server(details);
    if (typeof server === "string") {
      throw new ToolError(
        "unavailable",
        `${this.spec.name} cannot be called: ${server}. The host has to pass \`baseUrl\`.`,
        { retryable: false },
      );
    }
    const success = successMedia(details);
    const pages = pageArguments(offered);
    const writes = this.spec.annotations.readOnlyHint !== true;
    const withheld = this.#host.withheld(server.origin);
    const accept = acceptHeader(success.map(({ mediaType }) => mediaType));
    this.#ready = {
      plan: this.#plan(server, layout, accept),
      ...(layout.idempotency === undefined
        ? {}
        : { idempotency: idempotencyHeader(layout.idempotency) }),
      call: {
        label: `${method} ${path}`,
        method,
        name: this.spec.name,
        layout: offered,
        linked: (link) => this.#host.linked(link),
        writes,
        declared: declaredAnswers(details),
        ...(pages === undefined ? {} : { pages }),
        ...(collectPages === undefined || writes ? {} : { collectPages }),
        expectsJson:
          success.length > 0 && success.every(({ mediaType }) => isJsonMediaType(mediaType)),
        credentials: this.#credentials(details, server),
        headers,
        ...(withheld === undefined ? {} : { withheld }),
      },
    };
    return this.#ready;
  }

  #server({ servers }: OperationDetails): ChosenServer | string {
    const { baseUrl, documentUrl, replaced } = this.#host;
    const isOwn = this.#operation.hasOwnServers;
    return chooseServer(servers, { baseUrl, documentUrl, isOwn, replaced });
  }

  #plan(server: Server, layout: ArgumentLayout, accept: string): RequestPlan {
    const { method, path } = this.#operation;
    try {
      const plan = requestPlan(method, path, server, layout, accept);
      return planWithFixed(plan, this.#settings);
    } catch (error) {
      this.#fail(error, false);
      throw this.#failure as ToolError;
    }
  }

  #warnings({ details }: RealisedOperation): void {
    for (const response of details.responses) void response.media;
    const { method, path, pointer } = this.#operation;
    const warn = (message: string, at: string): void =>
      this.#host.warn({ subject: `${method} ${path}`, message, pointer: at, severity: "warning" });
    const server = this.#server(details);
    // What is wrong with the document's own servers is said once for all operations.
    if (typeof server === "string" && this.#operation.hasOwnServers === true) {
      warn(`It cannot be called yet: ${server}; pass \`baseUrl\`.`, pointer);
    }
    const { unsupported, optional, alternatives } = this.#credentials(details, server);
    if (unsupported !== undefined && !optional) {
      const isSent = alternatives.length === 0;
      const what = isSent
        ? "It is called without these credentials"
        : "It cannot be called, since its credentials cannot be obtained";
      warn(`${what}: ${unsupported}.`, pointer);
    }
  }

  #credentials({ security }: OperationDetails, server: ChosenServer | string): CredentialPlan {
    const { auth, withheld } = this.#host;
    return credentialPlan(security, auth, {
      base: typeof server === "string" ? undefined : server.url,
      trusts: (origin) => withheld(origin) === undefined,
    });
  }
}
