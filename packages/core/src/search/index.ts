export { ToolIndex, type ToolMatch } from "./tool-index.ts";
