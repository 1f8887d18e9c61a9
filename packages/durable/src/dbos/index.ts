export { dbosEngine } from "./dbos-engine.ts";
export type { DbosEngine, DbosEngineOptions } from "./dbos-engine.ts";
export type { Replicas } from "./recovery.ts";
