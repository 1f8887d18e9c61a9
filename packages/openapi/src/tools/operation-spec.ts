import { visibleText, type JsonSchema, type SourceProblem, type ToolSpec } from "@toolweave/core";
import type { Operation, OperationDetails, SelfContainedSchema } from "../document/operation.ts";
import type { ArgumentLayout } from "../arguments/argument-layout.ts";
import { inputSchema, selfContained } from "../arguments/input-schema.ts";
import type { SchemaBudget } from "../model-schema/schema-budget.ts";
import { abridgeSchema } from "../model-schema/model-schema.ts";
import type { OperationSettings } from "../settings/operation-settings.ts";
import { operationMetadata } from "./operation-metadata.ts";
import { outputSchema } from "./output-schema.ts";
import { toolDescription } from "./tool-description.ts";

/** What the descriptions of one source's tools share. */
export interface SpecHost {
  readonly sourceId: string;
  readonly timeoutMs: number | undefined;
  /** How much a model is shown. */
  readonly schemaBudget: SchemaBudget;
  /** A restriction that was found when the operation was first needed. */
  warn(problem: SourceProblem): void;
}

/** An operation whose references and schemas have been read. */
export interface RealisedOperation {
  readonly details: OperationDetails;
  readonly layout: ArgumentLayout;
  /** The part of it that a model may choose. */
  readonly offered: ArgumentLayout;
}

/** Where a spec keeps what its members are made by; whoever copies them takes it along. */
const maker: unique symbol = Symbol("maker");

type MemberWhenRead = "description" | "inputSchema" | "outputSchema" | "metadata";

/** The same getters for thousands of specs, so that all have one shape and none has closures of its own. */
const membersWhenRead: PropertyDescriptorMap = Object.fromEntries(
  (["description", "inputSchema", "outputSchema", "metadata"] as const).map((name) => [
    name,
    {
      enumerable: true,
      configurable: true,
      get(this: { readonly [maker]: OperationSpec }) {
        return this[maker].member(name);
      },
    },
  ]),
);

/** What is said of one operation: to a model, to the host, and to whoever checks arguments. Made when first read. */
export class OperationSpec {
  readonly spec: ToolSpec;
  readonly #operation: Operation;
  readonly #settings: OperationSettings;
  readonly #host: SpecHost;
  readonly #name: string;
  readonly #realise: () => RealisedOperation | undefined;
  #arguments: JsonSchema | undefined;
  /** Nothing before a member is read: there are thousands of operations. */
  #made: Map<MemberWhenRead, { readonly value: unknown }> | undefined;
  #warned = false;

  /**
   * @param settings their name comes without the prefix, `name` with it.
   * @param realise nothing when the operation is broken: a list that reads a schema must not fail with it.
   */
  constructor(
    name: string,
    operation: Operation,
    settings: OperationSettings,
    host: SpecHost,
    realise: () => RealisedOperation | undefined,
  ) {
    this.#operation = operation;
    this.#settings = settings;
    this.#host = host;
    this.#name = name;
    this.#realise = realise;
    const { method, path, operationId, summary = "" } = operation;
    const { annotations, timeoutMs = host.timeoutMs } = settings;
    // The name is clean; what it was made of may not be.
    this.#visible(operationId ?? path);
    const title = settings.title ?? this.#visible(summary);
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

  /** @internal A member of `spec`, made when first read. */
  member(name: MemberWhenRead): unknown {
    let made = this.#made?.get(name);
    if (made === undefined) {
      made = { value: this.#make(name) };
      (this.#made ??= new Map()).set(name, made);
    }
    return made.value;
  }

  #make(name: MemberWhenRead): unknown {
    switch (name) {
      case "description": {
        const { description } = this.#settings;
        return description === undefined
          ? toolDescription(this.#operation, this.#host.schemaBudget, (text) => this.#visible(text))
          : this.#visible(description);
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
        const realised = this.#realise();
        return realised === undefined ? undefined : operationMetadata(realised.details);
      }
    }
  }

  /** What arguments are validated against; a model is shown less of it. */
  get argumentsSchema(): JsonSchema {
    this.#arguments ??= this.#argumentsSchema();
    return this.#arguments;
  }

  #argumentsSchema(): JsonSchema {
    const realised = this.#realise();
    if (realised === undefined) return { type: "object" };
    const { offered: layout } = realised;
    for (const { parameter } of layout.parameters) this.#lookAt(parameter.schema);
    this.#lookAt(layout.body?.media.schema);
    this.#lookAt(layout.body?.media.itemSchema);
    for (const { media } of layout.body?.choice?.forms ?? []) {
      this.#lookAt(media.schema);
      this.#lookAt(media.itemSchema);
    }
    return inputSchema(layout, (text) => this.#visible(text));
  }

  #outputSchema(): JsonSchema | undefined {
    const realised = this.#realise();
    const schema = realised === undefined ? undefined : outputSchema(realised.details);
    if (schema === undefined) return undefined;
    this.#lookAt(schema);
    return selfContained(schema);
  }

  /** What a model reads of a text of the document. */
  #visible(text: string): string {
    const visible = visibleText(text);
    if (visible !== text) this.#warnOfHidden();
    return visible;
  }

  #lookAt(schema: SelfContainedSchema | undefined): void {
    if (schema?.cleaned === true) this.#warnOfHidden();
    if (schema?.endless === true) {
      this.#warn(
        "A schema of it is made of nothing but references that lead back to it: anything is accepted there.",
      );
    }
  }

  /** Once, whatever is found later. */
  #warnOfHidden(): void {
    if (this.#warned) return;
    this.#warned = true;
    this.#warn(
      `Hidden or broken characters were taken out of what the document says of the tool ${this.#name}: look at it before you trust it.`,
    );
  }

  #warn(message: string): void {
    const { method, path, pointer } = this.#operation;
    const subject = visibleText(`${method} ${path}`);
    this.#host.warn({ subject, message, pointer, severity: "warning" });
  }
}
