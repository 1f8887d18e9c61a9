/**
 * What generated values are like: `any` that fits; `ordinary`, as they are sent every day: texts and
 * lists are not empty, numbers small; `least`: ordinary, with nothing that is not required; `whole`:
 * ordinary, with everything that has a name, some levels deep.
 */
export type ValueStyle = "any" | "ordinary" | "least" | "whole";
