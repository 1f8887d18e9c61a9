import fc from "fast-check";

/**
 * Vitest's setup of every test file: properties draw the same values in every run, so that a change is not held up by
 * what it has not touched. `TOOLWEAVE_SEED` draws others.
 */
fc.configureGlobal({ seed: Number(process.env["TOOLWEAVE_SEED"] ?? 1) });
