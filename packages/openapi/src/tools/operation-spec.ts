import type { JsonSchema, ToolSpec } from "@toolweave/core";
import type { Metadata } from "@toolweave/core/adapter";
import { visibleText, type SourceProblem } from "@toolweave/core/adapter";
import type { Operation, OperationDetails, SelfContainedSchema } from "../document/operation.ts";
import type { ArgumentLayout } from "../arguments/argument-layout.ts";
import { toInputSchema, toSelfContained } from "../arguments/input-schema.ts";
import type { SchemaBudget } from "../model-schema/schema-budget.ts";
import { abridgeSchema } from "../model-schema/model-schema.ts";
import type { OperationSettings } from "../settings/operation-settings.ts";
import { toOutputSchema } from "./output-schema.ts";
import { displayUrl } from "../document/loading/display-url.ts";
import { abridgeSummary, fitText } from "../model-schema/abridge-text.ts";

/** The data that the specs of one source's tools share. */
export interface SpecHost {
  readonly sourceId: string;
  readonly timeoutMs: number | undefined;
  /** The maximum sizes of the parts that a model sees. */
  readonly schemaBudget: SchemaBudget;
  /** Reports a restriction that was found when the operation was first needed. */
  warn(problem: SourceProblem): void;
}

/** An operation whose references and schemas have been read. */
export interface RealizedOperation {
  readonly details: OperationDetails;
  readonly layout: ArgumentLayout;
  /** The part of the layout that a model may choose. */
  readonly offered: ArgumentLayout;
}

/** The key of the object that creates a spec's members; copies of the spec include it. */
const maker: unique symbol = Symbol("maker");

type MemberWhenRead = "description" | "inputSchema" | "outputSchema" | "metadata";

/** The same getters for thousands of specs, so that all have one shape and none has its own closures. */
const membersWhenRead: PropertyDescriptorMap = Object.fromEntries(
  (["description", "inputSchema", "outputSchema", "metadata"] as const).map((name) => [
    name,
    {
      enumerable: true,
      configurable: true,
      get(this: { readonly [maker]: OperationSpec }) {
        return this[maker].getMember(name);
      },
    },
  ]),
);

/**
 * The descriptions of one operation: for the model, for the host, and for the validation of arguments. Created on first
 * access.
 */
export class OperationSpec {
  readonly spec: ToolSpec;
  readonly #operation: Operation;
  readonly #settings: OperationSettings;
  readonly #host: SpecHost;
  readonly #name: string;
  readonly #realize: () => RealizedOperation | undefined;
  #arguments: JsonSchema | undefined;
  /** Undefined until a member is read, because there are thousands of operations. */
  #members: Map<MemberWhenRead, { readonly value: unknown }> | undefined;
  #warned = false;

  /**
   * @param settings their name is without the prefix, `name` is with it.
   * @param realise returns nothing if the operation is invalid: a list that reads a schema must not fail because of it.
   */
  constructor(
    name: string,
    operation: Operation,
    settings: OperationSettings,
    host: SpecHost,
    realise: () => RealizedOperation | undefined,
  ) {
    this.#operation = operation;
    this.#settings = settings;
    this.#host = host;
    this.#name = name;
    this.#realize = realise;
    const { method, path, operationId, summary = "" } = operation;
    const { annotations, timeoutMs = host.timeoutMs } = settings;
    // The name is clean, but the text from which it was derived may not be.
    this.#toVisible(operationId ?? path);
    const title = settings.title ?? this.#toVisible(summary);
    const base = {
      name,
      ...(title.trim() === "" ? {} : { title }),
      annotations,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      provenance: {
        adapter: "openapi",
        source: host.sourceId,
        origin: operationId === undefined ? { method, path } : { operationId, method, path },
      },
    };
    Object.defineProperty(base, maker, { value: this });
    this.spec = Object.defineProperties<object>(base, membersWhenRead) as ToolSpec;
  }

  /** @internal Returns a member of `spec`, created on first access. */
  getMember(name: MemberWhenRead): unknown {
    let made = this.#members?.get(name);
    if (made === undefined) {
      made = { value: this.#createMember(name) };
      (this.#members ??= new Map()).set(name, made);
    }
    return made.value;
  }

  #createMember(name: MemberWhenRead): unknown {
    switch (name) {
      case "description": {
        const { description } = this.#settings;
        return description === undefined
          ? toToolDescription(this.#operation, this.#host.schemaBudget, (text) =>
              this.#toVisible(text),
            )
          : this.#toVisible(description);
      }
      case "inputSchema": {
        const { argumentsSchema } = this;
        return argumentsSchema["properties"] === undefined
          ? argumentsSchema
          : abridgeSchema(argumentsSchema, this.#name, this.#host.schemaBudget);
      }
      case "outputSchema":
        return this.#outputSchema();
      case "metadata": {
        const realised = this.#realize();
        return realised === undefined ? undefined : toMetadata(realised.details);
      }
    }
  }

  /** The schema against which arguments are validated; a model sees an abridged form. */
  get argumentsSchema(): JsonSchema {
    this.#arguments ??= this.#argumentsSchema();
    return this.#arguments;
  }

  #argumentsSchema(): JsonSchema {
    const realised = this.#realize();
    if (realised === undefined) return { type: "object" };
    const { offered: layout } = realised;
    for (const { parameter } of layout.parameters) this.#checkSchema(parameter.schema);
    this.#checkSchema(layout.body?.media.schema);
    this.#checkSchema(layout.body?.media.itemSchema);
    for (const { media } of layout.body?.choice?.forms ?? []) {
      this.#checkSchema(media.schema);
      this.#checkSchema(media.itemSchema);
    }
    return toInputSchema(layout, (text) => this.#toVisible(text));
  }

  #outputSchema(): JsonSchema | undefined {
    const realised = this.#realize();
    const schema = realised === undefined ? undefined : toOutputSchema(realised.details);
    if (schema === undefined) return undefined;
    this.#checkSchema(schema);
    return toSelfContained(schema);
  }

  /** Returns a text of the document without invisible characters. */
  #toVisible(text: string): string {
    const visible = visibleText(text);
    if (visible !== text) this.#warnOfHidden();
    return visible;
  }

  #checkSchema(schema: SelfContainedSchema | undefined): void {
    if (schema?.cleaned === true) this.#warnOfHidden();
    if (schema?.endless === true) {
      this.#warn(
        "One of its schemas consists only of references that lead back to it: any value is accepted there.",
      );
    }
  }

  /** Warns once. */
  #warnOfHidden(): void {
    if (this.#warned) return;
    this.#warned = true;
    this.#warn(
      `Hidden or invalid characters were removed from the document's texts about the tool ${this.#name}: check the document before you trust it.`,
    );
  }

  #warn(message: string): void {
    const { method, path, pointer } = this.#operation;
    const subject = visibleText(`${method} ${path}`);
    this.#host.warn({ subject, message, pointer, severity: "warning" });
  }
}

/**
 * Returns the metadata on which a call of an operation depends, beside its schemas: its servers, its credentials, and
 * the serialization of its arguments. It is part of the tool's spec, so that an approval becomes invalid when it
 * changes.
 *
 * @returns the servers of the document, without parts that may be secret, and `request`, a SHA-256 of the rest.
 */
function toMetadata({ servers, security, parameters, body }: OperationDetails): Metadata {
  const written = parameters.map(({ name, in: place, style, explode, allowReserved, ...rest }) => [
    [name, place, style, explode, allowReserved],
    [rest.delimiter, rest.mediaType],
  ]);
  const credentials = security.map((uses) =>
    uses.map(({ scheme, scopes, declaration: { type, name, in: place, scheme: kind } = {} }) => [
      [scheme, scopes],
      [type, name, place, kind],
    ]),
  );
  const media = body?.media.map(({ mediaType, encoding, prefixEncoding, itemEncoding }) => [
    [mediaType, encoding, prefixEncoding, itemEncoding],
  ]);
  const text = JSON.stringify([written, credentials, media]);
  return {
    servers: servers.map(displayUrl),
    request: process
      .getBuiltinModule("node:crypto")
      .createHash("sha256")
      .update(text)
      .digest("base64url"),
  };
}

/**
 * Creates a tool's description for a model: the operation's summary, and as much of its description as fits.
 *
 * @param visible removes invisible characters from a text of the document.
 */
export function toToolDescription(
  operation: Pick<Operation, "name" | "method" | "path" | "deprecated" | "summary" | "description">,
  { verbatim, tool }: SchemaBudget,
  visible: (text: string) => string,
): string {
  const { name, method, path, deprecated } = operation;
  const summary = visible(operation.summary ?? "").trim();
  const description = visible(operation.description ?? "").trim();
  const both = verbatim
    ? withSummary(fitText(summary, tool), fitText(description, tool))
    : abridgeSummary(summary, description, name, tool);
  const about = both === "" ? `${method} ${fitText(visible(path), tool)}` : both;
  return deprecated ? `Deprecated. ${about}` : about;
}

function withSummary(summary: string, description: string): string {
  if (summary === "" || description.startsWith(summary)) return description;
  return description === "" ? summary : `${summary}\n\n${description}`;
}
