import { createHash } from "node:crypto";
import {
  defineTool,
  type JsonSchema,
  type Tool,
  ToolError,
  type ToolAnnotations,
  type ToolSpec,
} from "@toolweave/core";
import { withDefaults } from "@toolweave/core/adapter";
import type { HostValue } from "@toolweave/starlark";
import type { ScriptLimits, ToolArtifact } from "../artifact/artifact.ts";
import type { Capability } from "../builtins/builtin.ts";
import { scanCapabilities } from "../builtins/capabilities.ts";
import { accessCheck } from "./declared-access.ts";
import { effectCapabilities, type ScriptEffects } from "./script-effects.ts";
import type { FindFile } from "../script/script-loader.ts";
import { ScriptProgram } from "../script/program.ts";
import { runScript, type ScriptHost } from "../script/run-script.ts";

/** The services that the tools of one source share. */
export interface ToolServices {
  /** Finds the files that scripts load, beside a file of an artifact. Default: there are none. */
  readonly findFile?: (file: string) => FindFile;
  /** The id of the source. */
  readonly source: string;
  readonly host: ScriptHost;
  readonly effects: ScriptEffects;
  /** Fires when the source is closed: calls end then. */
  readonly closing?: AbortSignal;
  /** The bounds of scripts whose file has none. */
  readonly limits: ScriptLimits;
}

/**
 * The tool of an artifact. Its call needs the permission `delegate`, as a sub-agent does: a script reaches nothing by
 * itself, and each of its effects is a call of its own, on which the policy decides. A tool without a script waits for the
 * host's result.
 *
 * @param runId the only run that may call it; absent: every run.
 */
export function artifactTool(artifact: ToolArtifact, services: ToolServices, runId?: string): Tool {
  const { name, title, description, inputSchema, outputSchema, script, timeoutMs } = artifact;
  const { source } = services;
  const capabilities = script === undefined ? undefined : scanCapabilities(script.text);
  const base = defineTool<JsonSchema, unknown, JsonSchema | undefined>({
    name,
    description,
    input: inputSchema,
    ...(title === undefined ? {} : { title }),
    ...(outputSchema === undefined ? {} : { output: outputSchema }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    annotations: toAnnotations(artifact, capabilities),
    // Regardless of the host's retries: half of the effects may have happened.
    retry: { attempts: 1 },
    ...(script === undefined
      ? {}
      : {
          preflight: () => [
            { kind: "delegate", target: name, summary: `Run the script of ${name}` },
          ],
          execute: () => undefined,
        }),
  });
  const extra: Partial<ToolSpec> = {
    ...(artifact.isAsync ? { execution: "task" } : {}),
    provenance: {
      adapter: "markdown",
      source,
      origin: {
        file: artifact.place.file,
        ...(script === undefined ? {} : { program: programDigest(artifact) }),
      },
    },
    ...(Object.keys(artifact.metadata).length === 0 ? {} : { metadata: artifact.metadata }),
  };
  const spec = Object.defineProperties(
    {},
    {
      ...Object.getOwnPropertyDescriptors(base.spec),
      ...Object.getOwnPropertyDescriptors(extra),
    },
  ) as ToolSpec;
  if (script === undefined || capabilities === undefined)
    return {
      ...base,
      spec,
      fingerprint: digest(JSON.stringify(artifact)),
      invoke: (args, ctx) => base.invoke(withDefaults(inputSchema, args), ctx),
    };
  const program = new ScriptProgram(script, "tool", artifact.dialect);
  const checkEffect = accessCheck(name, artifact.access);
  const { effects, host, closing } = services;
  const findFile = services.findFile?.(artifact.place.file);
  const hasEffects = effectCapabilities.some((capability) => capabilities.has(capability));
  return {
    ...base,
    spec,
    fingerprint: digest(JSON.stringify(artifact)),
    localTools: effects.tools,
    invoke: async (args, ctx) => {
      if (runId !== undefined && ctx.runId !== runId) {
        throw new ToolError("not_found", `${name} was registered for another run.`);
      }
      if (hasEffects) await effects.load();
      return runScript({
        program,
        call: "run",
        args: [withDefaults(inputSchema, args) as HostValue],
        ctx,
        signal: closing === undefined ? ctx.signal : AbortSignal.any([ctx.signal, closing]),
        host,
        limits: { ...services.limits, ...artifact.limits },
        errorShape: artifact.errorShape,
        ...(findFile === undefined ? {} : { findFile }),
        ...(checkEffect === undefined ? {} : { checkEffect }),
      });
    },
  };
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Capabilities that change nothing outside of the script. */
const reading: ReadonlySet<Capability> = new Set(["fs.read"]);

/**
 * Hints about what the script can reach, tightened by the claims of the file: a file never makes its tool look more harmless than its
 * script is.
 */
function toAnnotations(
  { annotations: claims }: ToolArtifact,
  capabilities: ReadonlySet<Capability> | undefined,
): ToolAnnotations {
  const reached = [...(capabilities ?? [])];
  const readOnly =
    capabilities !== undefined &&
    reached.every((capability) => reading.has(capability)) &&
    claims.readOnlyHint !== false;
  const isClosed = !reached.some((capability) => !capability.startsWith("fs."));
  return {
    readOnlyHint: readOnly,
    ...(claims.destructiveHint === true ? { destructiveHint: true } : {}),
    ...(claims.needsApprovalHint === true ? { needsApprovalHint: true } : {}),
    openWorldHint: !isClosed || claims.openWorldHint === true || capabilities === undefined,
    ...(capabilities === undefined
      ? {}
      : {
          access: {
            filesystem: capabilities.has("fs.write")
              ? "write"
              : capabilities.has("fs.read")
                ? "read"
                : "none",
            process: capabilities.has("process"),
            network: capabilities.has("network"),
          } as const,
        }),
  };
}

/** A digest of everything that decides what a script does: an approval does not hold for another one. */
function programDigest({ script, access, limits, dialect, errorShape }: ToolArtifact): string {
  return digest(JSON.stringify([script?.text, access, limits, dialect, errorShape]));
}
