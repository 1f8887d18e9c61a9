export { ToolIndex, type ToolMatch } from "./tool-index.ts";
export { toolSearch, type ToolSearchOptions } from "./tool-search.ts";
