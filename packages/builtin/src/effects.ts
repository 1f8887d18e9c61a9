export { webEffects } from "./web/web-tools.ts";
