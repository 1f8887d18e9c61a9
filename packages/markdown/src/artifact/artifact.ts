import type { JsonObject, JsonSchema } from "@toolweave/core";
import type { Dialect } from "@toolweave/starlark";
import type { Place } from "../text/finding.ts";

/** A program in Starlark, with the place of its first character: positions in it are positions of the file. */
export interface ScriptText {
  readonly text: string;
  readonly place: Place;
}

/** The bounds of one run of a script. Absent ones have the defaults of the source. */
export interface ScriptLimits {
  /** Units of work: about one for an operation. */
  readonly steps?: number;
  readonly memoryBytes?: number;
  /** Calls of functions with an effect. */
  readonly effects?: number;
}

/** The access of a script, as its file declares it. An effect beyond it is refused. */
export interface DeclaredAccess {
  /** `none`: no files. */
  readonly filesystem?: "none" | "read" | "write";
  /** The programs that may be run; false: none, true: any. */
  readonly process?: boolean | readonly string[];
  /** The hosts that may be reached; false: none, true: any. */
  readonly network?: boolean | readonly string[];
}

/** The parts that all artifacts have. */
interface ArtifactBase {
  readonly name: string;
  /** The place of the name, or of the file's first line. */
  readonly place: Place;
  /** Milliseconds for one run; absent or 0: the default of the host. */
  readonly timeoutMs?: number;
  readonly limits: ScriptLimits;
  readonly access: DeclaredAccess;
  /** Language features beyond the defaults. */
  readonly dialect: Dialect;
  /** Keys of the front matter that have no meaning here: kept for the host. */
  readonly metadata: JsonObject;
}

/** A tool that a markdown file declares. */
export interface ToolArtifact extends ArtifactBase {
  readonly kind: "tool";
  readonly title?: string;
  /** For the model. */
  readonly description: string;
  /** Text for people beside the description, if the file has both. */
  readonly docs?: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  /** Absent: the host runs the tool. */
  readonly script?: ScriptText;
  /** The call continues as a task. */
  readonly isAsync: boolean;
  /** Claims of the file; they only tighten. */
  readonly annotations: {
    readonly readOnlyHint?: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint?: boolean;
    readonly needsApprovalHint?: boolean;
  };
  /** Whether a result `{"error": …}` is an error of the tool. */
  readonly errorShape: "value" | "error";
  /** Replaces a tool of the same name of an earlier folder. */
  readonly overrides: boolean;
}

/** A hook that a markdown file declares. */
export interface HookArtifact extends ArtifactBase {
  readonly kind: "hook";
  /** `tool.pre`, `tool.post`, or another event of the host. */
  readonly event: string;
  /** An expression that selects the calls. */
  readonly when?: ScriptText;
  /** Ascending; the lowest is called first. */
  readonly priority: number;
  readonly script: ScriptText;
}

/** Tools and hooks that belong together, with a text for the model. */
export interface BundleArtifact {
  readonly kind: "bundle";
  readonly name: string;
  readonly place: Place;
  readonly description: string;
  readonly version?: string;
  readonly author?: string;
  readonly tags: readonly string[];
  /** The names of bundles without which this one is not loaded. */
  readonly dependsOn: readonly string[];
  /** An expression over `env` and `platform`; false: the bundle is not loaded. */
  readonly condition?: ScriptText;
  readonly tools: readonly ToolArtifact[];
  readonly hooks: readonly HookArtifact[];
  /** Context for the model. */
  readonly body: string;
  readonly metadata: JsonObject;
}

/** The artifact of one markdown file. */
export type Artifact = ToolArtifact | HookArtifact | BundleArtifact;
