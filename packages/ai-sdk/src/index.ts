export { aiTools } from "./ai-tools.ts";
export type { AiTools } from "./ai-tools.ts";
