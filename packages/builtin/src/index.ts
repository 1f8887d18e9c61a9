export { webTools } from "./web/web-tools.ts";
export type { WebOptions } from "./web/web-tools.ts";
export type { WebCredential } from "./web/web-credentials.ts";
export { memoryTools } from "./memory/memory-tools.ts";
export type { MemoryOptions } from "./memory/memory-tools.ts";
