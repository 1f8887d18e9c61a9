/// <reference lib="esnext.disposable" preserve="true" />
export { postgresStore } from "./postgres-store.ts";
export type { PostgresStore, PostgresStoreOptions } from "./postgres-store.ts";
export type { PostgresClient, PostgresPool } from "./database/database.ts";
export type { ResealOptions, ResealProgress, ResealResult } from "./database/reseal.ts";
export type { PostgresInspection, TableSize } from "./inspect.ts";
export type { PostgresLists } from "./stores/lists.ts";
export type { PostgresReplicas, Replica } from "./stores/replicas.ts";
export type { StoreKey } from "@toolweave/stores/shared";
