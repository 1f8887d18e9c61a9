import {
  lazyProperty,
  visibleText,
  type JsonSchema,
  type SourceProblem,
  type ToolSpec,
} from "@toolweave/core";
import type { Operation, OperationDetails, SelfContainedSchema } from "../document/operation.ts";
import type { ArgumentLayout } from "./argument-layout.ts";
import { inputSchema, selfContained } from "./input-schema.ts";
import type { ShownBudget } from "./shown-budget.ts";
import { shownSchema } from "./shown-schema.ts";
import type { OperationSettings } from "./operation-settings.ts";
import { operationMetadata } from "./operation-metadata.ts";
import { outputSchema } from "./output-schema.ts";
import { toolDescription } from "./tool-description.ts";

/** What the descriptions of one source's tools share. */
export interface SpecHost {
  readonly sourceId: string;
  readonly timeoutMs: number | undefined;
  /** How much a model is shown. */
  readonly shown: ShownBudget;
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

/** What is said of one operation: to a model, to the host, and to whoever checks arguments. Made when first read. */
export class OperationSpec {
  readonly spec: ToolSpec;
  readonly #operation: Operation;
  readonly #host: SpecHost;
  readonly #name: string;
  readonly #realise: () => RealisedOperation | undefined;
  #arguments: JsonSchema | undefined;
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
    this.#host = host;
    this.#name = name;
    this.#realise = realise;
    const { method, path, operationId, summary = "" } = operation;
    const { annotations, description, timeoutMs = host.timeoutMs } = settings;
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
    const described = lazyProperty(base, "description", () =>
      description === undefined
        ? toolDescription(operation, host.shown, (text) => this.#visible(text))
        : this.#visible(description),
    );
    const taking = lazyProperty(described, "inputSchema", () => {
      const { argumentsSchema } = this;
      return argumentsSchema["properties"] === undefined
        ? argumentsSchema
        : shownSchema(argumentsSchema, name, host.shown);
    });
    const answering = lazyProperty(taking, "outputSchema", () => this.#outputSchema());
    this.spec = lazyProperty(answering, "metadata", () => {
      const realised = this.#realise();
      return realised === undefined ? undefined : operationMetadata(realised.details);
    }) as ToolSpec;
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
  }

  /** Once, whatever is found later. */
  #warnOfHidden(): void {
    if (this.#warned) return;
    this.#warned = true;
    const { method, path, pointer } = this.#operation;
    this.#host.warn({
      subject: visibleText(`${method} ${path}`),
      message: `Hidden or broken characters were taken out of what the document says of the tool ${this.#name}: look at it before you trust it.`,
      pointer,
      severity: "warning",
    });
  }
}
