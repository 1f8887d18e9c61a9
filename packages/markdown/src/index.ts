export type { Finding } from "./text/finding.ts";
