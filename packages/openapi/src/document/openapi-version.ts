import { ToolError } from "@toolweave/core";
import { isRecord, ownValue } from "./record.ts";

/** The versions of the specification that are read. */
export type OpenApiVersion = "2.0" | "3.0" | "3.1" | "3.2";

/**
 * The version that a document declares. YAML authors leave out the quotes, so a number counts too.
 *
 * @throws {ToolError} `invalid_arguments`: it declares none, or one that is not supported.
 */
export function readVersion(root: unknown, name: string): OpenApiVersion {
  if (!isRecord(root)) throw refused(name, "it is not an object");
  const swagger = ownValue(root, "swagger");
  const openapi = ownValue(root, "openapi");
  const declared = versionText(openapi ?? swagger);
  if (openapi === undefined && /^2(?:\.0)?$/.test(declared)) return "2.0";
  const minor = /^3(?:\.(\d+)(?:\.|-|$)|$)/.exec(declared);
  if (openapi !== undefined && minor !== null) {
    const number = Number(minor[1] ?? 0);
    return number === 0 ? "3.0" : number === 1 ? "3.1" : "3.2";
  }
  throw refused(
    name,
    declared === ""
      ? "it has neither an `openapi` nor a `swagger` field"
      : `version ${JSON.stringify(declared.slice(0, 20))} is not supported; 2.0, 3.0, 3.1 and 3.2 are`,
  );
}

function versionText(version: unknown): string {
  return typeof version === "string" || typeof version === "number" ? `${version}`.trim() : "";
}

function refused(name: string, reason: string): ToolError {
  return new ToolError(
    "invalid_arguments",
    `${name} cannot be used as an OpenAPI document: ${reason}.`,
    { audience: "host" },
  );
}
