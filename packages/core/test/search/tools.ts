import type { JsonSchema, Tool, ToolSpec, Toolset } from "@toolweave/core";
import { ToolsetSnapshot } from "@toolweave/core/adapter";

type Changes = { readonly [Key in keyof ToolSpec]?: ToolSpec[Key] };

/** A tool that is only searched. */
export function findable(name: string, description: string, more: Changes = {}): Tool {
  return {
    spec: {
      name,
      description,
      inputSchema: { type: "object" },
      annotations: {},
      provenance: { adapter: "code" },
      ...more,
    },
    invoke: () => undefined,
  };
}

/** A snapshot of these tools. */
export function createToolset(...tools: readonly Tool[]): Toolset {
  const entries = tools
    .map((tool) => [tool.spec.name, { tool, source: "test", trusted: false }] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return new ToolsetSnapshot(1, new Map(entries));
}

/** An object schema with these parameters, all strings. */
export function taking(...names: readonly string[]): { readonly inputSchema: JsonSchema } {
  const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
  return { inputSchema: { type: "object", properties } };
}

/** The tools of a fictional harbour. */
export const harbour: readonly Tool[] = [
  findable("berth_list", "Lists the berths of the harbour and which vessels lie there."),
  findable("berth_reserve", "Reserves a berth for a vessel.", taking("vesselId", "arrival")),
  findable("tide_table", "High and low water for a day.", { title: "Tide table" }),
  findable("pilotOrder", "Orders a pilot to come on board.", taking("draught", "channelName")),
  findable("cargo_manifest_get", "The manifest of a ship's cargo."),
  findable("crane_status", "Whether a crane is working, and its load."),
  findable("fees_compute", "Computes harbour dues from tonnage and length of stay."),
  findable("customs_report", "Files the papers that customs wants.", {
    provenance: {
      adapter: "openapi",
      source: "https://seagate.example/openapi.json",
      origin: { method: "POST", path: "/declarations/{id}" },
    },
  }),
];
