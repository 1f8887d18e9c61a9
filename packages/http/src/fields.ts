export {
  formatFieldValue,
  getTextParameter,
  parseChallenges,
  parseDirectives,
  parseFieldValue,
  parseLinks,
} from "./message/header-fields.ts";
export type { Challenge, FieldValue } from "./message/header-fields.ts";
