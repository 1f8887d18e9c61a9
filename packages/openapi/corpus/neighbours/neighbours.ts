import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";
import { places, type Wire } from "./places.ts";
import { traits, versions, type Trait, type Version } from "./traits.ts";
import { wrapValue, wrappers, type Wrapper } from "./wrappers.ts";

/** A generated operation, its call, and the request that is right for it. */
export interface Neighbour {
  /** Trait, wrapper, place and version. */
  readonly name: string;
  readonly version: Version;
  /** The operation and the name of its tool. */
  readonly id: string;
  readonly path: string;
  readonly args: JsonObject;
  /** Undefined: the call must be refused. */
  readonly wire: Wire | undefined;
}

/** A document with all neighbours of a version. */
export interface NeighbourDocument {
  readonly version: Version;
  readonly document: JsonObject;
  /** The same with schemas that mean by the letter what their authors must mean. */
  readonly meant: JsonObject;
  readonly neighbours: readonly Neighbour[];
}

/** A document of a version with the neighbours that `select` selects by their index. */
function createDocument(
  version: Version,
  select: (index: number) => boolean,
  getSchema: (trait: Trait) => JsonObject,
): Pick<NeighbourDocument, "document" | "neighbours"> {
  const schemas: Record<string, JsonObject> = {};
  const root = version === "2.0" ? "#/definitions/" : "#/components/schemas/";
  let registered = 0;
  const register = (schema: JsonObject): JsonObject => {
    const name = `S${registered++}`;
    schemas[name] = schema;
    return { $ref: root + name };
  };
  const paths: Record<string, JsonObject> = {};
  const neighbours: Neighbour[] = [];
  let index = -1;
  for (const { trait, wrapper, place } of combine(version)) {
    const wire = place.toWire(trait, wrapper.shape, version);
    if (wire === undefined) continue;
    const wrapped = wrapper.wrap(getSchema(trait), version, register);
    const operation =
      wrapped === undefined ? undefined : place.operation(wrapped, version, register);
    index += 1;
    if (operation === undefined || !select(index)) continue;
    const id = `n${neighbours.length}`;
    const path = `/${id}${wire.path === undefined ? "" : "/{v}"}`;
    paths[path] = { post: { operationId: id, ...operation } };
    neighbours.push({
      name: `${trait.name}, ${wrapper.name}, ${place.name}, ${version}`,
      version,
      id,
      path,
      args: { v: wrapValue(trait.value, wrapper.shape) } as Record<string, JsonValue>,
      wire: trait.refused === true ? undefined : wire,
    });
  }
  const head = { info: { title: `Neighbours in ${version}`, version: "1" }, paths };
  const document = (version === "2.0"
    ? { swagger: version, ...head, definitions: schemas }
    : { openapi: version, ...head, components: { schemas } }) as unknown as JsonObject;
  return { document, neighbours };
}

function* combine(
  version: Version,
): Generator<{ trait: Trait; wrapper: Wrapper; place: (typeof places)[number] }> {
  for (const trait of traits) {
    if (trait.versions !== undefined && !trait.versions.includes(version)) continue;
    for (const wrapper of wrappers) for (const place of places) yield { trait, wrapper, place };
  }
}

/** The documents of all versions. */
export function createDocuments(
  select: (index: number) => boolean = () => true,
): readonly NeighbourDocument[] {
  return versions.map((version) => ({
    version,
    ...createDocument(version, select, ({ schema }) => schema),
    meant: createDocument(version, select, ({ schema, meant = schema }) => meant).document,
  }));
}

/**
 * Some of `count` slices of all documents, each with neighbours of all traits, wrappers and places. The oracles look an
 * operation up among all of its document, so that large documents take long.
 */
export function createSlices(count: number, some: number): readonly NeighbourDocument[] {
  return Array.from({ length: some }, (_, slice) =>
    createDocuments((index) => index % count === slice),
  ).flat();
}

/** The arguments, in `body` if the tool has one argument for the whole body. */
export function toArguments({ args }: Neighbour, inputSchema: JsonSchema): JsonObject {
  const properties = (inputSchema["properties"] ?? {}) as JsonObject;
  return "body" in properties ? { body: args } : args;
}
