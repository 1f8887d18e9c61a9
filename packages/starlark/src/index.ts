export * from "./error.ts";
export * from "./host/module.ts";
