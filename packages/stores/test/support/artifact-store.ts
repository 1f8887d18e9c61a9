import type { ArtifactStore } from "@toolweave/core/stores";
import { fileArtifacts, sqliteStore } from "../../src/index.ts";

/** A store of a kind; its path is a folder or a file. */
export function artifactStore(kind: string, path: string): ArtifactStore {
  return kind === "files" ? fileArtifacts(path) : sqliteStore(path).artifacts;
}
