import { conformance } from "@toolweave/conformance/vitest";
import { filter, prefix } from "@toolweave/core";
import { langchainSource } from "../../src/index.ts";
import { library, libraryManifest } from "../support/library.ts";

const { tools, added } = library();

conformance(
  libraryManifest(
    "LangChain's tools",
    () => added,
    () =>
      langchainSource(tools, {
        annotations: ({ name }) => (name === "bind_book" ? { streamingHint: true } : {}),
      }),
    (tool) => tool,
  ),
);

conformance(
  libraryManifest(
    "LangChain's tools with a prefix and a filter, and hints of the host's",
    () => added,
    () =>
      prefix(
        filter(
          langchainSource(tools, {
            annotations: ({ name }) => ({
              readOnlyHint: name !== "add_book",
              streamingHint: name === "bind_book",
            }),
          }),
          ({ spec }) => spec.name !== "leave",
        ),
        "town",
      ),
    (tool) => `town__${tool}`,
  ),
);
