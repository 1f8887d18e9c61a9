import { conformance } from "@toolweave/conformance/vitest";
import { ToolExecutor, ToolRegistry } from "@toolweave/core";
import { langchainSource, langchainTools } from "../../src/index.ts";
import { library, libraryManifest } from "../support/library.ts";

const { tools, added } = library();

/** There and back again: what LangChain calls are the registry's tools, and the registry's are LangChain's. */
const manifest = libraryManifest(
  "LangChain's tools, given to LangChain by an executor",
  () => added,
  async () => {
    const registry = new ToolRegistry([langchainSource(tools)]);
    const executor = new ToolExecutor({ registry, policy: "autonomous" });
    const given = await langchainTools(executor);
    // What the executor adds by itself, the one around it adds, too.
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
    largeCalls: "the executor inside has kept what is large for itself",
  },
});
