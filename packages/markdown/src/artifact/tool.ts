import type { JsonSchema } from "@toolweave/core";
import { removeFence } from "../text/fences.ts";
import type { ToolArtifact } from "./artifact.ts";
import type { Fields } from "./fields.ts";
import { toolKeys } from "./keys.ts";
import { readParameters } from "./parameters.ts";
import { readSchema } from "./schemas.ts";
import { readScript } from "./script-text.ts";
import type { ScriptSources } from "./script-text.ts";
import {
  readAccess,
  readDialect,
  readLimits,
  readMetadata,
  readName,
  readTimeout,
} from "./settings.ts";

const hints = [
  "readOnlyHint",
  "destructiveHint",
  "idempotentHint",
  "openWorldHint",
  "needsApprovalHint",
] as const;

/** The input of the readers of tools and hooks beside the fields. */
export interface ArtifactContext extends ScriptSources {
  /** The stem of the file's name; undefined: the artifact is an entry of a list. */
  readonly stem?: string | undefined;
}

/** Reads a tool. Faults are among the findings of the fields; the tool has everything that could be read. */
export function readTool(fields: Fields, context: ArtifactContext): ToolArtifact {
  const name = readName(fields, "tool", context.stem);
  const { script, fence } = readScript(fields, context);
  const body = (fence === undefined ? context.body : removeFence(context.body, fence)).trim();
  const own = fields.string("description")?.trim() ?? "";
  const title = fields.string("title");
  const timeoutMs = readTimeout(fields, `tool "${name}"`);
  const outputSchema = readSchema(fields, "output");
  const isAsync = fields.boolean("async") ?? false;
  const errorShape = fields.choice("error_shape", ["value", "error"]) ?? "value";
  const overrides = fields.boolean("override") ?? false;
  return {
    kind: "tool",
    name,
    place: fields.keyPlace("name"),
    ...(title !== undefined && { title }),
    description: own || body || name,
    ...(own !== "" && body !== "" && { docs: body }),
    inputSchema: readInput(fields),
    ...(outputSchema !== undefined && { outputSchema }),
    ...(script !== undefined && { script }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    isAsync,
    annotations: readAnnotations(fields),
    errorShape,
    overrides,
    limits: readLimits(fields),
    access: readAccess(fields),
    dialect: readDialect(fields),
    metadata: readMetadata(fields, toolKeys),
  };
}

function readInput(fields: Fields): JsonSchema {
  const open: JsonSchema = { type: "object", properties: {}, additionalProperties: true };
  if (fields.has("input") && fields.has("parameters"))
    fields.reportKey("input", {
      code: "two_inputs",
      message: "parameters and input exclude each other",
      hint: "Remove one of the two.",
    });
  const parameters = fields.fields("parameters", "a map of parameters");
  const input = readSchema(fields, "input");
  return parameters === undefined ? (input ?? open) : readParameters(parameters);
}

function readAnnotations(fields: Fields): ToolArtifact["annotations"] {
  const annotations = fields.fields("annotations");
  if (annotations === undefined) return {};
  const claims = hints.flatMap((hint) => {
    const value = annotations.boolean(hint);
    return value === undefined ? [] : [[hint, value] as const];
  });
  annotations.unknown(hints);
  return Object.fromEntries(claims);
}
