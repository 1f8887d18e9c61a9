export { catchToolError } from "./stores/catch-tool-error.ts";
export { describeStore } from "./stores/describe-store.ts";
export { FakeClock } from "./stores/fake-clock.ts";
export type {
  ListStore,
  OpenedStore,
  StoreClock,
  StoreFactory,
  StoreLimits,
  StorePort,
  StoreTraits,
  StoreUnderTest,
} from "./stores/store-under-test.ts";
