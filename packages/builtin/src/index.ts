export { webTools } from "./web/web-tools.ts";
export type { WebOptions } from "./web/web-tools.ts";
export type { WebCredential } from "./web/web-credentials.ts";
