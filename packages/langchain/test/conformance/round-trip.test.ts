import { conformance } from "@toolweave/conformance/vitest";
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { langchainSource, langchainTools } from "../../src/index.ts";
import { library, libraryManifest } from "../support/library.ts";

const { tools, added } = library();

/** In both directions: LangChain's tools are the registry's, and the registry's are LangChain's. */
const manifest = libraryManifest(
  "LangChain's tools, passed to LangChain by an executor",
  () => added,
  async () => {
    const registry = new ToolRegistry([langchainSource(tools)]);
    const executor = new ToolExecutor({ registry, policy: "autonomous" });
    const given = await langchainTools(executor);
    // The outer executor adds the same built-in tools as the inner one.
    return langchainSource(given.filter(({ name }) => name !== "read_artifact"));
  },
  (tool) => tool,
);
const { updatingCalls: _, largeCalls: __, ...samples } = manifest.samples ?? {};

conformance({
  ...manifest,
  samples,
  without: {
    ...(manifest.without as object),
    updatingCalls: "partial outputs do not go through LangChain",
    largeCalls: "the inner executor has stored large outputs itself",
  },
});
