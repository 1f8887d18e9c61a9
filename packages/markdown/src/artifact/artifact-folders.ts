/** The folders with artifacts, in the order in which they are read: of two tools with one name, the first is loaded. */
export const artifactFolders: readonly string[] = [".toolweave", ".harness"];

/** The files with several artifacts. */
export const inlineFiles: readonly string[] = ["toolweave.md", "harness.md"];
