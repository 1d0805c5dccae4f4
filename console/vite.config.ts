// Builds the console: one page, its scripts and styles with hashed names, and the script that
// decides language and theme before the first paint.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, transformWithOxc, type Plugin } from "vite";

const folder = fileURLToPath(new URL(".", import.meta.url));
const base = "/console/";

/**
 * A blocking script of its own file: the policy of the page lets no script stand in the page, and a
 * module would run after the paint.
 */
function blockingScript(source: string): Plugin {
  let fileName = "";
  return {
    name: "blocking-script",
    apply: "build",
    async buildStart() {
      this.addWatchFile(source);
      const { code } = await transformWithOxc(readFileSync(source, "utf8"), source);
      const hash = createHash("sha256").update(code).digest("base64url").slice(0, 8);
      fileName = `assets/first-paint-${hash}.js`;
      this.emitFile({ type: "asset", fileName, source: code });
    },
    transformIndexHtml: {
      order: "post",
      handler: () => [{ tag: "script", attrs: { src: base + fileName }, injectTo: "head-prepend" }],
    },
  };
}

/** Beside the licences of the packages, which Vite gathers: that of the fonts. */
function licenceOfFonts(): Plugin {
  const file = new URL("../node_modules/@fontsource-variable/vazirmatn/LICENSE", import.meta.url);
  return {
    name: "licence-of-fonts",
    apply: "build",
    buildStart() {
      this.emitFile({ type: "asset", fileName: "licence-of-fonts.txt", source: readFileSync(file, "utf8") });
    },
  };
}

export default defineConfig({
  root: folder,
  base,
  envDir: false,
  publicDir: false,
  oxc: { jsx: { runtime: "automatic" } },
  // The server puts a nonce of each answer in its place; style tags of libraries carry it.
  html: { cspNonce: "CSP_NONCE" },
  css: { transformer: "lightningcss" },
  build: {
    target: ["chrome111", "firefox114", "safari16.4"],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    emptyOutDir: true,
    license: { fileName: "licences.md" },
    // A request costs the browser and the gateway more than a few kilobytes: what the first page
    // loads is one file, and what several of the other pages share is another.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // Its files are called index, after the page.
            { name: "first", tags: ["$initial"], priority: 1 },
            { name: "shared", minShareCount: 2 },
          ],
        },
      },
    },
  },
  plugins: [blockingScript(fileURLToPath(new URL("src/first-paint.ts", import.meta.url))), licenceOfFonts()],
});
