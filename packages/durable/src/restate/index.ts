export { restateEngine } from "./restate-engine.ts";
export type {
  RestateEngine,
  RestateEngineOptions,
  RestateHandlers,
  RestateService,
} from "./restate-engine.ts";
