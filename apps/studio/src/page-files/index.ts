export { buildPage } from "./build-page.ts";
export { firstLoad, firstLoadLimits, type FirstLoad } from "./first-load.ts";
