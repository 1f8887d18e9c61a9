export { HybridToolIndex, type HybridMatches } from "./hybrid-tool-index.ts";
export type { ToolEmbedder, VectorCache } from "./tool-embedder.ts";
export { ToolIndex } from "./tool-index.ts";
export type { ToolMatch } from "./tool-match.ts";
export { toolSearch, type ToolSearchOptions } from "./tool-search.ts";
