import type { DanglingReference } from "../document/operation.ts";
import type { JsonSchema } from "@toolweave/core";
import type { Definition } from "./definition.ts";
import type { DiscriminatorTargets } from "./discriminator.ts";
import type { DynamicScope } from "../document/references/dynamic-scope.ts";
import type { InPlaceGraph } from "./in-place-graph.ts";
import type { PolymorphicParents } from "./polymorphic-parents.ts";
import type { OpenApiVersion } from "../document/openapi-version.ts";
import type { Location } from "../document/references/location.ts";
import type { ReferenceResolver } from "../document/references/resolve-reference.ts";
import type { ResponseSchemas } from "./response-schemas.ts";
import type { StepBudget } from "./step-budget.ts";

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
