import type { Artifact } from "../artifact/artifact.ts";
import type { ArtifactPart } from "../artifact/bundle.ts";
import type { Finding } from "../text/finding.ts";
import type { Reach } from "./capabilities.ts";

/** A tool, a hook or a bundle that was checked. */
export interface CheckedPart {
  readonly kind: Artifact["kind"];
  readonly name: string;
  /** The parts of the world that its script can reach. */
  readonly capabilities: readonly Reach[];
}

/** Everything that was found in one file. */
export interface FileCheck {
  readonly file: string;
  readonly findings: readonly Finding[];
  readonly parts: readonly CheckedPart[];
  /** The artifacts, also those with faults, with their places. */
  readonly artifacts: readonly ArtifactPart["artifact"][];
}
