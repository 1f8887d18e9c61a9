import {
  ToolError,
  type JsonObject,
  type JsonSchema,
  type PermissionRequest,
  type Suspension,
  type Tool,
  type ToolContext,
  type ToolOutput,
  type ToolSpec,
} from "@toolweave/core";
import {
  findUnsatisfiable,
  prefixName,
  visibleText,
  type ItemStream,
  type ToolAvailability,
  withoutBigints,
  ellipsize,
} from "@toolweave/core/adapter";
import { layoutArguments, type ArgumentLayout } from "../arguments/argument-layout.ts";
import { checkFixed, selectOffered } from "../arguments/offered-arguments.ts";
import { planWithFixed, planWithArtifacts } from "../request/plan-with-artifacts.ts";
import type { OperationSettings } from "../settings/operation-settings.ts";
import { OperationSpec, type RealizedOperation } from "./operation-spec.ts";
import { toAcceptHeader } from "../document/media-type.ts";
import { toIdempotencyHeader, type IdempotencyHeader } from "../parameters/idempotency-header.ts";
import { responseDeclarations } from "../exchange/responses/sent-request.ts";
import type { LinkTarget } from "../exchange/follow-ups/linked-calls.ts";
import type { OperationCall } from "../exchange/operation-caller.ts";
import { findPageArguments } from "../exchange/follow-ups/page-arguments.ts";
import {
  OperationError,
  UnopenedReference,
  type Operation,
  type OperationDetails,
} from "../document/operation.ts";
import { getSuccessMedia } from "./output-schema.ts";
import { planRequest, type RequestPlan } from "../request/request-plan.ts";
import { getAddressForm, displayRequest, type AddressForm } from "../request/displayed-request.ts";
import { planCredentials, type CredentialPlan } from "../auth/security.ts";
import type { ToolHost } from "./tool-host.ts";
import { chooseServer, type ChosenServer, type Server } from "../request/servers.ts";

interface Ready {
  readonly plan: RequestPlan;
  /** Absent: the document declares none, or the model passes it. */
  readonly idempotency?: IdempotencyHeader;
  readonly call: OperationCall;
}

/** Maximum number of characters of a URL that core accepts as a permission's target. */
const maxTarget = 20_000;

const available: ToolAvailability = { status: "available" };

/** One operation as a tool. References, schemas and the request plan are created on demand, and cached. */
export class OperationTool implements Tool {
  readonly spec: ToolSpec;
  readonly outputValidation = "warning";
  readonly acceptsBigint = true;
  /** Set only for operations that may change something; a read-only one needs no approval. */
  declare readonly preflight?: (args: JsonObject) => readonly PermissionRequest[];
  readonly #operationSpec: OperationSpec;
  readonly #operation: Operation;
  readonly #settings: OperationSettings;
  readonly #host: ToolHost;
  #realized: RealizedOperation | undefined;
  #prepared: Ready | undefined;
  #failure: ToolError | undefined;
  /** Computed when a call is first proposed for approval. */
  #addressForm: AddressForm | undefined;

  constructor(operation: Operation, settings: OperationSettings, host: ToolHost) {
    this.#operation = operation;
    this.#settings = settings;
    this.#host = host;
    const { prefix } = host;
    const name = prefix === undefined ? settings.name : prefixName(prefix, settings.name);
    this.#operationSpec = new OperationSpec(name, operation, settings, host, () => this.#realize());
    this.spec = this.#operationSpec.spec;
    const { readOnlyHint } = this.spec.annotations;
    if (readOnlyHint !== true) this.preflight = (args) => this.#describeIntention(args);
  }

  /** Returns true if this is its name, without the prefix. */
  hasName(name: string): boolean {
    return this.#settings.name === name;
  }

  get argumentsSchema(): JsonSchema {
    return this.#operationSpec.argumentsSchema;
  }

  get fingerprint(): string {
    return `${this.#host.generation}#${this.#operation.pointer}`;
  }

  get availability(): ToolAvailability {
    const failure = this.#failure;
    return failure === undefined ? available : { status: "unavailable", reason: failure.message };
  }

  /** The operation, and whether its schemas were created yet; reading it creates nothing. */
  get state(): { readonly operation: Operation; readonly isRealised: boolean } {
    return { operation: this.#operation, isRealised: this.#realized !== undefined };
  }

  /** Creates everything that is otherwise created on demand, so that all problems are reported. */
  realize(): void {
    void this.spec.description;
    void this.spec.inputSchema;
    void this.spec.outputSchema;
    const realised = this.#realize();
    if (realised !== undefined) this.#reportWarnings(realised);
  }

  /** Checks the values that the host fixes: an invalid one makes the tool unavailable. */
  async checkFixed(): Promise<void> {
    const { fixed } = this.#settings;
    const realised = fixed === undefined ? undefined : this.#realize();
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
    return caller.call(call, request, ctx, withoutBigints(args));
  }

  /** Returns the target of a link, if the link leads to this operation (OpenAPI 3.2, section 4.20). */
  findLinkTarget({ operationId, operationRef }: JsonObject): LinkTarget | undefined {
    const { operationId: own, pointer } = this.#operation;
    const isThis =
      operationId === undefined
        ? operationRef === (pointer.startsWith("#") ? pointer : `#${pointer}`)
        : operationId === own;
    const layout = isThis ? this.#realize()?.offered : undefined;
    return layout === undefined ? undefined : { name: this.spec.name, layout };
  }

  #describeIntention(args: JsonObject): readonly PermissionRequest[] {
    const { plan } = this.#prepare();
    this.#addressForm ??= getAddressForm((this.#realized as RealizedOperation).layout);
    const { method, origin, path, query } = displayRequest(
      plan,
      args,
      this.#addressForm,
      this.#operation.path,
    );
    const pathAndQuery = query === "" ? path : `${path}?${query}`;
    const target = `${method} ${origin}${pathAndQuery}`;
    if (target.length > maxTarget) {
      throw new ToolError(
        "invalid_arguments",
        `${this.spec.name} was not called: its URL has ${target.length} characters, and the maximum for approvals and policy rules is ${maxTarget}. Send less in its path and query.`,
      );
    }
    return [
      {
        kind: "network",
        target,
        summary: `${method} ${ellipsize(pathAndQuery, 300)} on ${origin}`,
      },
    ];
  }

  /** Reads the operation. Returns nothing if it is invalid: a list that reads a schema must not fail because of it. */
  #realize(): RealizedOperation | undefined {
    if (this.#realized !== undefined || this.#failure !== undefined) return this.#realized;
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
      // The body may restrict what is deleted.
      if (layout.unwritable !== undefined && this.#operation.method === "DELETE") {
        throw new OperationError(layout.unwritable, pointer);
      }
      if (layout.unwritable !== undefined)
        warn(`It is called without a body: ${layout.unwritable}.`);
      for (const message of layout.warnings ?? []) warn(message);
      const offered = selectOffered(layout, this.#settings, pointer, warn);
      this.#realized = { details, layout, offered };
    } catch (error) {
      this.#fail(error, details === undefined && error instanceof OperationError);
    }
    return this.#realized;
  }

  #fail(error: unknown, isReported: boolean): void {
    const { method, path, pointer } = this.#operation;
    const reason = error instanceof Error ? error.message : String(error);
    const remedy =
      error instanceof UnopenedReference
        ? "The host has to make the file available"
        : "The API's document has to be corrected";
    this.#failure = new ToolError(
      "unavailable",
      `${this.spec.name} cannot be called: ${reason}. ${remedy}; use another tool.`,
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
    if (this.#prepared !== undefined) return this.#prepared;
    const realised = this.#realize();
    if (realised === undefined || this.#failure !== undefined) throw this.#failure as ToolError;
    const { details, layout, offered } = realised;
    const { method, path } = this.#operation;
    const { headers, collectPages } = this.#host;
    const server = this.#chooseServer(details);
    if (typeof server === "string") {
      throw new ToolError(
        "unavailable",
        `${this.spec.name} cannot be called: ${server}. The host has to set \`baseUrl\`.`,
        { retryable: false },
      );
    }
    const success = getSuccessMedia(details);
    const pages = findPageArguments(offered);
    const writes = this.spec.annotations.readOnlyHint !== true;
    const withheld = this.#host.withheld(server.origin);
    const accept = toAcceptHeader(success.map(({ mediaType }) => mediaType));
    this.#prepared = {
      plan: this.#createPlan(server, layout, accept),
      ...(layout.idempotency === undefined
        ? {}
        : { idempotency: toIdempotencyHeader(layout.idempotency) }),
      call: {
        label: `${method} ${path}`,
        method,
        name: this.spec.name,
        layout: offered,
        linked: (link) => this.#host.linked(link),
        writes,
        declared: responseDeclarations(details),
        ...(pages === undefined ? {} : { pages }),
        ...(collectPages === undefined || writes ? {} : { collectPages }),
        credentials: this.#planCredentials(details, server),
        headers,
        ...(withheld === undefined ? {} : { withheld }),
      },
    };
    return this.#prepared;
  }

  #chooseServer({ servers }: OperationDetails): ChosenServer | string {
    const { baseUrl, documentUrl, replaced } = this.#host;
    const isOwn = this.#operation.hasOwnServers;
    return chooseServer(servers, { baseUrl, documentUrl, isOwn, replaced });
  }

  #createPlan(server: Server, layout: ArgumentLayout, accept: string): RequestPlan {
    const { method, path } = this.#operation;
    try {
      const plan = planRequest(method, path, server, layout, accept);
      return planWithFixed(plan, this.#settings);
    } catch (error) {
      this.#fail(error, false);
      throw this.#failure as ToolError;
    }
  }

  #reportWarnings({ details }: RealizedOperation): void {
    for (const response of details.responses) void response.media;
    const { method, path, pointer } = this.#operation;
    const warn = (message: string, at: string): void =>
      this.#host.warn({ subject: `${method} ${path}`, message, pointer: at, severity: "warning" });
    for (const { pointer: place, reason } of findUnsatisfiable(this.argumentsSchema)) {
      const where = place === "" ? "its arguments" : `${place} of its arguments`;
      warn(`No value of ${where} is valid: ${visibleText(reason)}.`, pointer);
    }
    const server = this.#chooseServer(details);
    // Problems of the document's own servers are reported once for all operations.
    if (typeof server === "string" && this.#operation.hasOwnServers === true) {
      warn(`It cannot be called yet: ${server}. Set \`baseUrl\`.`, pointer);
    }
    const { unsupported, optional, alternatives, fixed } = this.#planCredentials(details, server);
    const isUnauthorized = fixed?.length === 0 && this.#host.headers["authorization"] === undefined;
    if (details.declaresAuthorization === true && isUnauthorized) {
      warn(
        'It declares a header "Authorization", which is never an argument, because a model must not set credentials: set `auth` or `headers`.',
        pointer,
      );
    }
    if (unsupported !== undefined && !optional) {
      const isSent = alternatives.length === 0;
      const what = isSent
        ? "It is called without these credentials"
        : "It cannot be called, because its credentials cannot be obtained";
      warn(`${what}: ${unsupported}.`, pointer);
    }
  }

  #planCredentials({ security }: OperationDetails, server: ChosenServer | string): CredentialPlan {
    const { auth, withheld } = this.#host;
    return planCredentials(security, auth, {
      base: typeof server === "string" ? undefined : server.url,
      trusts: (origin) => withheld(origin) === undefined,
    });
  }
}
