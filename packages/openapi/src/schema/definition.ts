import type { JsonSchema } from "@toolweave/core";
import { parsePointer, shortHash } from "@toolweave/core/adapter";
import type { Location } from "../document/references/location.ts";
import type { DynamicScope } from "../document/references/dynamic-scope.ts";

/** A schema that others refer to: an entry of `$defs`. */
export interface Definition {
  readonly name: string;
  readonly location: Location;
  /** The dynamic scope of its references. */
  readonly dynamic: DynamicScope | undefined;
  /** `{ "$ref": "#/$defs/…" }`, the same object for all references to it. */
  readonly reference: JsonSchema;
}

/** Creates a definition under a name that is not taken. */
export function makeDefinition(
  location: Location,
  dynamic: DynamicScope | undefined,
  isTaken: (name: string) => boolean,
): Definition {
  let name = definitionName(location);
  if (isTaken(name)) name = withHash(name, location, dynamic?.key);
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
