// Copies the built page of `apps/studio` into the `dist` folder of the package in the current folder, which serves it.
import { cpSync } from "node:fs";
import { basename, join } from "node:path";

const page = join(import.meta.dirname, "../apps/studio/dist/page");
cpSync(page, "dist/page", { recursive: true, filter: (path) => basename(path) !== ".vite" });
