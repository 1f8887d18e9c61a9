import { defineConfig } from "vite";

/** Hashed files and an HTML page without inline scripts and styles, which the content security policy forbids. */
export default defineConfig({
  build: {
    outDir: "dist/page",
    emptyOutDir: true,
    target: "es2022",
    manifest: true,
    sourcemap: false,
    modulePreload: { polyfill: false },
    // A data URL would violate `default-src 'none'`.
    assetsInlineLimit: 0,
    cssCodeSplit: true,
    reportCompressedSize: false,
  },
});
