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
import type { StepBudget } from "./step-budget.ts";

/** A schema in 2020-12, and the definitions that it refers to itself. */
export interface TranslatedSchema {
  readonly schema: JsonSchema | boolean;
  readonly references: readonly Definition[];
  /** False when it has properties that exist one way only: it then differs by mode. */
  readonly sameInBothModes: boolean;
  /** How deep it is nested: keywords and names. */
  readonly depth: number;
  /** Hidden or broken characters were taken out of its titles or descriptions. */
  readonly cleaned: boolean;
  /** It is made of nothing but references that lead back to it, and accepts anything. */
  readonly endless: boolean;
  /** References in it that point to nothing: anything is accepted there. */
  readonly dangling: readonly DanglingReference[];
}

/** What a translation needs from the document around the schema. */
export interface TranslationContext {
  readonly resolver: ReferenceResolver;
  /** Names of properties that the host sends although the document calls them read-only. */
  readonly writable: ReadonlySet<string>;
  /** Those of `writable` that were met. */
  readonly written: Set<string>;
  readonly version: OpenApiVersion;
  readonly inPlace: InPlaceGraph;
  /** The same graph, with the children of a parent with a discriminator as alternatives to it. */
  readonly families: InPlaceGraph;
  readonly parents: PolymorphicParents;
  /** Reports a restriction of a schema, with its place. */
  warn(message: string, at: Pick<Location, "scope" | "pointer">): void;
  /** In OpenAPI 2.0 and 3.0, what stands beside `$ref` means nothing, except to readers. */
  readonly siblingsCount: boolean;
  /** The dialect of schemas that name none (OpenAPI 3.1 `jsonSchemaDialect`). */
  readonly dialect: string | undefined;
  readonly targets: DiscriminatorTargets;
  /** What one operation may cost. */
  readonly budget: StepBudget;
  definition(location: Location, dynamic: DynamicScope | undefined): Definition;
}
