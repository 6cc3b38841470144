import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const server = process.env.SIGNALBOX_URL ?? "http://127.0.0.1:8787";
/** Paths that the service answers. `npm run dev` passes them on to a running service. */
const served = [
  "/v1",
  "/api",
  "/docs",
  "/openapi.json",
  "/version",
  "/ready",
  "/reset-password",
  "/invitation",
];

/** Writes a compressed copy beside each script and style. The service sends it to browsers that accept it. */
const compressed = (): Plugin => ({
  name: "compressed",
  apply: "build",
  async writeBundle({ dir }) {
    const folder = join(dir!, "assets");
    const files = (await readdir(folder)).filter((file) => /\.(js|css)$/.test(file));
    await Promise.all(
      files.map(async (file) => {
        const path = join(folder, file);
        await writeFile(`${path}.br`, await promisify(brotliCompress)(await readFile(path)));
      }),
    );
  },
});

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), compressed()],
  build: {
    target: "es2022",
    // The Content-Security-Policy allows no data: fonts or scripts, so every asset is a file.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    reportCompressedSize: false,
  },
  server: {
    proxy: Object.fromEntries(served.map((path) => [path, { target: server, changeOrigin: false }])),
  },
});
