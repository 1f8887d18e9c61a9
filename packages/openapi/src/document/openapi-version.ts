import { ToolError } from "@toolweave/core";
import { isRecord, ownValue } from "./record.ts";

/** The supported versions of the specification. */
export type OpenApiVersion = "2.0" | "3.0" | "3.1" | "3.2";

/**
 * Returns the version that a document declares. YAML authors omit the quotes, so a number is accepted too.
 *
 * @throws {ToolError} `invalid_arguments`: it declares none, or one that is not supported.
 */
export function readVersion(root: unknown, name: string): OpenApiVersion {
  if (!isRecord(root)) throw invalidDocumentError(name, "it is not an object");
  const swagger = ownValue(root, "swagger");
  const openapi = ownValue(root, "openapi");
  const declared = toVersionText(openapi ?? swagger);
  if (openapi === undefined && /^2(?:\.0)?$/.test(declared)) return "2.0";
  const minor = /^3(?:\.(\d+)(?:\.|-|$)|$)/.exec(declared);
  if (openapi !== undefined && minor !== null) {
    const number = Number(minor[1] ?? 0);
    return number === 0 ? "3.0" : number === 1 ? "3.1" : "3.2";
  }
  throw invalidDocumentError(
    name,
    declared === ""
      ? "it has neither an `openapi` nor a `swagger` field"
      : `version ${JSON.stringify(declared.slice(0, 20))} is not supported; 2.0, 3.0, 3.1 and 3.2 are`,
  );
}

function toVersionText(version: unknown): string {
  return typeof version === "string" || typeof version === "number" ? `${version}`.trim() : "";
}

function invalidDocumentError(name: string, reason: string): ToolError {
  return new ToolError(
    "invalid_arguments",
    `${name} cannot be used as an OpenAPI document: ${reason}.`,
    { audience: "host" },
  );
}
