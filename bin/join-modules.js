// node bin/join-modules.js TREE: joins the modules of each program of a compiled tree into few
// files. To find, read and link one of the hundreds of modules of a gateway takes Node.js a
// millisecond: joined, it loads with two thirds of the processor time (docs/decisions/0001).
// Packages stay apart. The modules stay where they are, too: tests load them one by one.
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";

/** What a process or a thread begins with. */
const programs = ["main.js", "app/worker-main.js"];

const tree = path.resolve(process.argv[2]);
const joined = path.join(tree, "joined");

const from = (folder, file) => path.relative(folder, file).split(path.sep).join("/");

/** A joined module still finds what stands beside its own file. */
const ownPlaces = {
  name: "own-places",
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, ({ path: file }) => {
      const text = readFileSync(file, "utf8");
      if (!text.includes("import.meta")) return undefined;
      if (/\bimport\.meta\b(?!\.(url|filename|dirname)\b)/.test(text))
        throw new Error(`${file}: only the url, filename and dirname of import.meta are kept`);
      const place = JSON.stringify(from(joined, file));
      // On the line of the first statement, so that lines keep their numbers.
      const own = `const $own = ((url) => ({ url: url.href, filename: $pathOf(url), dirname: $folderOf($pathOf(url)) }))(new URL(${place}, import.meta.url));`;
      return {
        contents: `import { dirname as $folderOf } from "node:path"; import { fileURLToPath as $pathOf } from "node:url"; ${own} ${text.replaceAll("import.meta.", "$own.")}`,
      };
    });
  },
};

const present = programs.filter((program) => existsSync(path.join(tree, program)));
await build({
  entryPoints: present.map((program) => `./${program}`),
  absWorkingDir: tree,
  outdir: joined,
  entryNames: "[name]",
  chunkNames: "[name]-[hash]",
  bundle: true,
  splitting: true,
  packages: "external",
  format: "esm",
  platform: "node",
  target: "node20.19",
  sourcemap: true,
  sourcesContent: false,
  plugins: [ownPlaces],
  logLevel: "warning",
});
writeFileSync(
  path.join(joined, "parts.json"),
  JSON.stringify(readdirSync(joined).filter((name) => name.endsWith(".js"))),
);
for (const program of present) {
  const place = path.join(tree, program);
  writeFileSync(place, `export * from "./${from(path.dirname(place), path.join(joined, path.basename(program)))}";\n`);
}
