import type { Tool } from "../contract/tool.ts";
import type { ToolSpec } from "../contract/tool-spec.ts";
import type { ArtifactReading } from "./artifact-reader.ts";

const spec: ToolSpec = {
  name: "read_artifact",
  title: "Read an artifact",
  description:
    "Read a large or binary result that was stored as an artifact: a page of it, the places where a text is found, or, of JSON, the part that a path leads to.",
  inputSchema: {
    type: "object",
    properties: {
      key: { type: "string", description: "The artifact's key: art_…" },
      offset: { type: "integer", minimum: 0, description: "The byte to begin at. Default: 0." },
      limit: {
        type: "integer",
        minimum: 1,
        description:
          "Bytes to read at most; with search, matches. Default: as many as may be shown.",
      },
      search: {
        type: "string",
        minLength: 1,
        maxLength: 500,
        description: "Text to find, literally and in any case.",
      },
      path: { type: "string", description: "A JSON path such as $.items[0].name or $..id." },
    },
    required: ["key"],
    additionalProperties: false,
  },
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  // Content that has been read is not stored again.
  outputLimit: { onOverflow: "clip" },
  provenance: { adapter: "toolweave" },
};

/**
 * The tool that reads artifacts of the session and the caller of its run. Its output respects the executor's limit by
 * itself. The reader is loaded with the first call.
 */
export function readArtifactTool(reading: ArtifactReading): Tool {
  return {
    spec,
    async invoke(args, { sessionId, caller }) {
      const ref = await reading.artifacts.head({ sessionId, caller }, args["key"]);
      const { ArtifactReader } = await import("./artifact-reader.ts");
      return new ArtifactReader(reading, ref, args).read();
    },
  };
}
