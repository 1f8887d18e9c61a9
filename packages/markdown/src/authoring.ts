export { formatFile } from "./check/format-file.ts";
export type { FormattedFile } from "./check/format-file.ts";
