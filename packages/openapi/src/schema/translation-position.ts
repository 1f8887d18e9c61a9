import type { JsonSchema } from "@toolweave/core";
import { childPointer, isCheckablePattern, visibleText } from "@toolweave/core/adapter";
import type { Definition, TranslationContext } from "./translation-context.ts";
import type { DynamicScope } from "../document/references/dynamic-scope.ts";
import type { OperationError } from "../document/operation.ts";
import type { Location, Scope } from "../document/references/location.ts";
import { referenceError } from "../document/references/resolve-reference.ts";
import { isRecord, type JsonRecord } from "../document/record.ts";
import { AccessFilter, type SchemaMode } from "./property-access.ts";
import { toUnicodePattern } from "./unicode-pattern.ts";

/** Levels of a schema. Ajv compiles a few more than that with the default stack of Node.js. */
const maxDepth = 400;
const maxNodes = 200_000;

/** The position of a translation in its schema, the number of schemas read, and the findings. */
export abstract class TranslationPosition {
  /** The scope of references in the current schema. */
  scope: Scope;
  protected readonly root: Location;
  protected readonly mode: SchemaMode;
  protected readonly context: TranslationContext;
  protected readonly access: AccessFilter;
  protected readonly path: (string | number)[] = [];
  protected references: Set<Definition> | undefined;
  /** Its depth: keywords and names. */
  protected depth = 0;
  /** Hidden or invalid characters were removed from a text. */
  protected cleaned = false;
  #nodes = 0;

  constructor(root: Location, mode: SchemaMode, context: TranslationContext) {
    this.root = root;
    this.mode = mode;
    this.context = context;
    this.access = new AccessFilter(mode, context, context.resolver);
    this.scope = root.scope;
  }

  /** The location of the current schema. */
  get pointer(): string {
    return this.path.reduce<string>(childPointer, this.root.pointer);
  }

  protected get isSent(): boolean {
    return this.mode !== "response";
  }

  /**
   * Counts one more schema.
   *
   * @throws {OperationError} there are too many, or they are nested too deeply.
   */
  protected enter({ pattern, patternProperties }: JsonRecord): void {
    if (pattern !== undefined) this.#checkPattern(pattern);
    if (isRecord(patternProperties))
      Object.keys(patternProperties).forEach((name) => this.#checkPattern(name));
    if (++this.#nodes > maxNodes) throw this.error(`the schema has more than ${maxNodes} parts`);
    this.context.budget.spend(1, this);
    if (this.path.length <= this.depth) return;
    this.depth = this.path.length;
    if (this.depth > maxDepth) {
      throw this.error(`the schema is nested deeper than ${maxDepth} levels`);
    }
  }

  /** Creates a definition of a schema, and returns a reference to it. */
  protected define(target: Location, outer: DynamicScope | undefined): JsonSchema {
    const dynamic = this.context.resolver.enter(target, outer);
    const definition = this.context.definition(target, dynamic);
    this.references ??= new Set();
    this.references.add(definition);
    return definition.reference;
  }

  /** Handles `nullable` of OpenAPI 3.0, and `x-nullable`, which replaces it in Swagger 2.0. */
  protected isNullable(node: JsonRecord): boolean {
    return (
      node["nullable"] === true || (this.context.version === "2.0" && node["x-nullable"] === true)
    );
  }

  /** Returns a title or description without invisible characters. */
  protected toVisibleText(value: unknown): string | undefined {
    if (typeof value !== "string") return undefined;
    const visible = visibleText(value);
    if (visible !== value) this.cleaned = true;
    return visible;
  }

  /** Reports a pattern that values are not checked against. */
  #checkPattern(pattern: unknown): void {
    if (typeof pattern !== "string") return;
    const written = toUnicodePattern(pattern);
    if (written !== undefined && isCheckablePattern(written)) return;
    const formatted = JSON.stringify(visibleText(pattern.slice(0, 100)));
    const reason =
      written === undefined ? "is not a regular expression" : "cannot be checked in bounded time";
    this.context.warn(
      `The pattern ${formatted} ${reason}: values are not checked against it.`,
      this,
    );
  }

  protected error(reason: string): OperationError {
    return referenceError(this, reason);
  }
}
