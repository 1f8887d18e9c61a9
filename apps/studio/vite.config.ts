import { defaultClientConditions, defineConfig } from "vite";

/** Hashed files and an HTML page without inline scripts and styles, which the content security policy forbids. */
export default defineConfig({
  // Sources of the workspace: the page can be built before the packages are.
  resolve: { conditions: ["@toolweave/source", ...defaultClientConditions] },
  build: {
    outDir: "dist/page",
    emptyOutDir: true,
    target: "es2022",
    manifest: true,
    modulePreload: { polyfill: false },
    // A data URL would violate the policy for images.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // One file in place of twenty small ones that every screen needs.
          groups: [
            {
              name: "base",
              test: /\/src\/(?:api|contract|navigation|text|ui)\/|node_modules\/@?preact\/|packages\/core\//,
            },
          ],
        },
      },
    },
  },
});
