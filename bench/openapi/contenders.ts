import type { Contender } from "../../packages/openapi/corpus/oracles/contender.ts";
import {
  toolweave,
  toolweaveModelSchema,
} from "../../packages/openapi/corpus/oracles/toolweave.ts";

/** Each is loaded in the process that needs it, so that its cost and its failures are separate. */
export const contenders: Readonly<Record<string, () => Promise<Contender>>> = {
  toolweave: async () => toolweave,
  "toolweave, as a model sees it": async () => toolweaveModelSchema,
  "@ivotoby/openapi-mcp-server": async () => (await import("./peers/ivotoby.ts")).ivotoby,
  fastmcp: async () => (await import("./peers/fastmcp.ts")).fastmcp,
  "@smithers-orchestrator/openapi": async () => (await import("./peers/smithers.ts")).smithers,
};
