export { mastraTools } from "./mastra-tools.ts";
export type { MastraTools, MastraToolsOptions } from "./mastra-tools.ts";
