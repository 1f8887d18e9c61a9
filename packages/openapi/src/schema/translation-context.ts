import type { DanglingReference } from "../document/operation.ts";
import type { JsonSchema } from "@toolweave/core";
import type { DiscriminatorTargets } from "./discriminator.ts";
import type { DynamicScope } from "../document/references/dynamic-scope.ts";
import type { InPlaceGraph } from "./in-place-graph.ts";
import type { PolymorphicParents } from "./polymorphic-parents.ts";
import type { OpenApiVersion } from "../document/openapi-version.ts";
import type { Location } from "../document/references/location.ts";
import type { ReferenceResolver } from "../document/references/resolve-reference.ts";
import type { ResponseSchemas } from "./response-schemas.ts";
import type { StepBudget } from "./step-budget.ts";
import { parsePointer, shortHash } from "@toolweave/core/adapter";

/** A schema in 2020-12, and the definitions to which it refers directly. */
export interface TranslatedSchema {
  readonly schema: JsonSchema | boolean;
  readonly references: readonly Definition[];
  /** False if it has properties that exist in one direction only: it then differs by mode. */
  readonly sameInBothModes: boolean;
  /** Its depth: keywords and names. */
  readonly depth: number;
  /** True if hidden or invalid characters were removed from its titles or descriptions. */
  readonly cleaned: boolean;
  /** True if it consists only of references that lead back to it, and accepts any value. */
  readonly endless: boolean;
  /** References in it that point to nothing: any value is accepted there. */
  readonly dangling: readonly DanglingReference[];
}

/** The parts of the document that a translation needs. */
export interface TranslationContext {
  readonly resolver: ReferenceResolver;
  /** Names of properties that the host sends although the document declares them read-only. */
  readonly writable: ReadonlySet<string>;
  /** The names in `writable` that were found. */
  readonly written: Set<string>;
  /** The schemas of responses. */
  readonly responses: ResponseSchemas;
  readonly version: OpenApiVersion;
  readonly inPlace: InPlaceGraph;
  /** The same graph, with the children of a parent with a discriminator as alternatives to it. */
  readonly families: InPlaceGraph;
  readonly parents: PolymorphicParents;
  /** Reports a restriction of a schema, with its location. */
  warn(message: string, at: Pick<Location, "scope" | "pointer">): void;
  /** True if keywords beside `$ref` have a meaning. In OpenAPI 2.0 and 3.0 they have none, except for readers. */
  readonly siblingsCount: boolean;
  /** The dialect of schemas without `$schema` (OpenAPI 3.1 `jsonSchemaDialect`). */
  readonly dialect: string | undefined;
  readonly targets: DiscriminatorTargets;
  /** The budget of one operation. */
  readonly budget: StepBudget;
  definition(location: Location, dynamic: DynamicScope | undefined): Definition;
}

/** A schema that others refer to: an entry of `$defs`. */
export interface Definition {
  readonly name: string;
  readonly location: Location;
  /** The dynamic scope of its references. */
  readonly dynamic: DynamicScope | undefined;
  /** `{ "$ref": "#/$defs/…" }`, the same object for all references to it. */
  readonly reference: JsonSchema;
}

/**
 * Creates a definition under a name that is not taken.
 *
 * @param isVariant true if another schema has a better claim to the name of this location.
 */
export function makeDefinition(
  location: Location,
  dynamic: DynamicScope | undefined,
  isVariant: boolean,
  isTaken: (name: string) => boolean,
): Definition {
  let name = definitionName(location);
  if (isVariant || isTaken(name)) name = withHash(name, location, dynamic?.key);
  for (let count = 2; isTaken(name); count++) name = `${name.replace(/\.\d+$/, "")}.${count}`;
  return { name, location, dynamic, reference: Object.freeze({ $ref: `#/$defs/${name}` }) };
}

const containers = /^\/(?:components\/schemas|definitions|\$defs)(?=\/)/;
const maxLength = 64;

/**
 * Returns a readable name that depends only on the location of the schema, so that a tool's schema is the same in every
 * process: `Pet` for `#/components/schemas/Pet`, `models.pet` for a file.
 */
function definitionName(location: Location): string {
  const { label } = location.scope.document;
  const component =
    label === ""
      ? /^\/(?:components\/schemas|definitions)\/([\w.-]{1,64})$/.exec(location.pointer)
      : null;
  const plain = component?.[1];
  if (plain !== undefined && !(plain in Object.prototype)) return plain;
  const file = label.replace(/\.(?:json|ya?ml)$/i, "").split("/");
  const tokens = parsePointer(location.pointer.replace(containers, ""));
  const text = [...(label === "" ? [] : file), ...tokens].join(".");
  const name = text.replace(/[^A-Za-z0-9_.-]+/g, "_");
  const changed = name !== text || name === "" || name in Object.prototype;
  return changed || name.length > maxLength ? withHash(name || "document", location) : name;
}

function withHash(name: string, { scope, pointer }: Location, variant = ""): string {
  const hash = shortHash(`${scope.document.label}#${pointer}${variant && ` ${variant}`}`);
  return `${name.slice(0, maxLength - hash.length - 1)}_${hash}`;
}
