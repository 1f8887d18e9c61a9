export { buildPage } from "./build-page.ts";
export { firstLoad, firstLoadLimits, type FirstLoad } from "./first-load.ts";
export { readPageFiles, type PageFile } from "./page-files.ts";
