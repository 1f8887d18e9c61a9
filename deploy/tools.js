// A tool to try the gateways with: it says which of them has run it. Replace it by your own sources in toolweave.json.
import { hostname } from "node:os";

export const which_gateway = {
  spec: {
    name: "which_gateway",
    description: "Returns the name of the gateway that runs this call.",
    inputSchema: { type: "object", properties: {} },
    annotations: { readOnlyHint: true },
    provenance: { adapter: "example" },
  },
  invoke: () => ({ content: [{ type: "text", text: hostname() }] }),
};
