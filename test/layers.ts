/** The packages of the workspace that each package may import, types included. */
export const packageImports: Readonly<Record<string, readonly string[]>> = {
  "packages/core": [],
  "packages/http": ["@toolweave/core"],
  "packages/stores": ["@toolweave/core"],
  "packages/providers": ["@toolweave/core"],
  "packages/subagent": ["@toolweave/core"],
  "packages/ai-sdk": ["@toolweave/core"],
  "packages/langchain": ["@toolweave/core"],
  "packages/mastra": ["@toolweave/core"],
  "packages/openai-agents": ["@toolweave/core", "@toolweave/providers"],
  conformance: ["@toolweave/core"],
  "packages/openapi": ["@toolweave/core", "@toolweave/http"],
  "packages/mcp": ["@toolweave/core", "@toolweave/http"],
  "packages/config": [
    "@toolweave/core",
    "@toolweave/mcp",
    "@toolweave/openapi",
    "@toolweave/stores",
    "@toolweave/subagent",
  ],
  "packages/test-support": [],
  "apps/cli": [
    "@toolweave/config",
    "@toolweave/conformance",
    "@toolweave/core",
    "@toolweave/mcp",
    "@toolweave/openapi",
    "@toolweave/stores",
  ],
};

/**
 * The folders of a package's `src` in layers, from the lowest to the highest. A file imports files of its own folder and of
 * lower layers; `.` is the package's root.
 */
export const layers: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "packages/core": [
    ["text", "time"],
    ["json"],
    ["json-schema"],
    ["contract"],
    ["policy/conditions"],
    [
      "credentials",
      "policy",
      "limits",
      "audit",
      "schema/pattern",
      "json-path",
      "results",
      "framing",
    ],
    ["schema"],
    ["approvals", "artifacts", "redaction"],
    ["registry", "define", "events"],
    ["tasks", "scan"],
    ["built-in"],
    ["executor/call"],
    ["executor/batch", "executor/hooks"],
    ["executor/context"],
    ["executor/stages"],
    ["executor/resume"],
    ["executor"],
    ["search"],
    [".", "telemetry", "integration", "worker"],
  ],
  "packages/http": [["address", "message", "auth"], ["connection"], ["exchange", "oauth"], ["."]],
  "packages/openapi": [
    ["document"],
    ["schema"],
    ["operations", "parameters"],
    ["settings"],
    ["body"],
    ["arguments"],
    ["model-schema", "request"],
    ["auth"],
    ["exchange"],
    ["options", "tools"],
    ["."],
  ],
  "packages/config": [["reading"], ["servers", "lock"], ["trust"], ["agents"], ["."]],
  "packages/providers": [
    ["rules"],
    ["schema"],
    ["conversion"],
    ["anthropic", "bedrock", "gemini", "openai", "validate"],
    ["."],
  ],
  "packages/ai-sdk": [["source"], ["."]],
  "packages/mcp": [
    ["schema"],
    ["options"],
    ["transport"],
    ["auth", "listing", "server-requests"],
    ["connection"],
    ["calls"],
    ["resources", "gateway"],
    [".", "claude"],
  ],
  conformance: [
    ["contract", "schema"],
    ["requirements", "faults"],
    ["report"],
    ["context"],
    ["execution"],
    ["observation"],
    ["calls"],
    ["checks"],
    ["session"],
    ["."],
  ],
  "apps/cli": [
    ["process"],
    ["input"],
    ["render"],
    ["store"],
    ["prompt"],
    ["sources"],
    ["commands"],
    ["."],
  ],
};

/**
 * The modules that only some files of core may import beside `ajv`: each is a separate entry with
 * an optional peer.
 */
export const corePeers: Readonly<Record<string, string>> = {
  "src/diagnostics.ts": "node:diagnostics_channel",
  "src/interpreted-validator.ts": "@cfworker/json-schema",
  "src/telemetry/": "@opentelemetry/api",
  "src/worker/": "node:worker_threads",
};
