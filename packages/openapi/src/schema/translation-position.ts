import { isCheckablePattern, visibleText, type JsonSchema } from "@toolweave/core";
import type { Definition } from "./definition.ts";
import type { DynamicScope } from "../document/references/dynamic-scope.ts";
import type { OperationError } from "../document/operation.ts";
import { childPointer } from "../document/references/json-pointer.ts";
import type { Location, Scope } from "../document/references/location.ts";
import { fault } from "../document/references/resolve-reference.ts";
import { isRecord, type JsonRecord } from "../document/record.ts";
import { AccessFilter, type SchemaMode } from "./property-access.ts";
import type { TranslationContext } from "./translation-context.ts";
import { unicodePattern } from "./unicode-pattern.ts";

const maxDepth = 500;
const maxNodes = 200_000;

/** Where a translation is in its schema, how much it has read, and what it has found. */
export abstract class TranslationPosition {
  /** Where the schema in hand resolves its references. */
  scope: Scope;
  protected readonly root: Location;
  protected readonly mode: SchemaMode;
  protected readonly context: TranslationContext;
  protected readonly access: AccessFilter;
  protected readonly path: (string | number)[] = [];
  protected references: Set<Definition> | undefined;
  /** How deep it is nested: keywords and names. */
  protected depth = 0;
  /** Hidden or broken characters were taken out of a text. */
  protected cleaned = false;
  #nodes = 0;

  constructor(root: Location, mode: SchemaMode, context: TranslationContext) {
    this.root = root;
    this.mode = mode;
    this.context = context;
    this.access = new AccessFilter(mode, context, context.resolver);
    this.scope = root.scope;
  }

  /** Where the schema in hand stands. */
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
    if (pattern !== undefined) this.#lookAtPattern(pattern);
    if (isRecord(patternProperties))
      Object.keys(patternProperties).forEach((name) => this.#lookAtPattern(name));
    if (++this.#nodes > maxNodes) throw this.fault(`the schema has more than ${maxNodes} parts`);
    this.context.budget.spend(1, this);
    if (this.path.length <= this.depth) return;
    this.depth = this.path.length;
    if (this.depth > maxDepth) {
      throw this.fault(`the schema is nested deeper than ${maxDepth} levels`);
    }
  }

  /** Makes a definition of a schema, and a reference to it. */
  protected define(target: Location, outer: DynamicScope | undefined): JsonSchema {
    const dynamic = this.context.resolver.enter(target, outer);
    const definition = this.context.definition(target, dynamic);
    this.references ??= new Set();
    this.references.add(definition);
    return definition.reference;
  }

  /** `nullable` of OpenAPI 3.0, and `x-nullable`, which takes its place in Swagger 2.0. */
  protected isNullable(node: JsonRecord): boolean {
    return (
      node["nullable"] === true || (this.context.version === "2.0" && node["x-nullable"] === true)
    );
  }

  /** A title or description without what nobody sees. */
  protected wording(value: unknown): string | undefined {
    if (typeof value !== "string") return undefined;
    const visible = visibleText(value);
    if (visible !== value) this.cleaned = true;
    return visible;
  }

  /** Names a pattern that values are not checked against. */
  #lookAtPattern(pattern: unknown): void {
    if (typeof pattern !== "string") return;
    const written = unicodePattern(pattern);
    if (written !== undefined && isCheckablePattern(written)) return;
    const shown = JSON.stringify(visibleText(pattern.slice(0, 100)));
    const reason =
      written === undefined ? "is no regular expression" : "cannot be checked in bounded time";
    this.context.warn(`The pattern ${shown} ${reason}: values are not checked against it.`, this);
  }

  protected fault(reason: string): OperationError {
    return fault(this, reason);
  }
}
