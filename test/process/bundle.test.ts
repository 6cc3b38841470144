import { execFile } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";

const root = join(import.meta.dirname, "../..");

const program = {
  "package.json": '{ "type": "module" }',
  "src/main.ts": `
    import { readFileSync } from "node:fs";
    import { join } from "node:path";
    import { greet } from "./part.ts";
    const { default: later } = await import("./later.ts");
    console.log(greet("Ada" as string), later);
    console.log(readFileSync(new URL("./note.txt", import.meta.url), "utf8"));
    console.log(readFileSync(join(import.meta.dirname, "../src/note.txt"), "utf8"));
  `,
  "src/part.ts": "export const greet = (name: string) => 'Hello ' + name;",
  "src/later.ts": "export default 'later';",
  "src/note.txt": "a note",
  "src/app.ts": "export const jobs = [];",
  "src/commands/serve-process.ts": "export const served = true;",
  "packages/one/src/index.ts": "export {};",
};

/** A small program with the scripts of this one. */
async function createProgram() {
  const folder = mkdtempSync(join(tmpdir(), "bundle-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of ["bin", "src/commands", "packages/one/src", "node_modules"])
    mkdirSync(join(folder, name), { recursive: true });
  for (const [name, content] of Object.entries(program)) writeFileSync(join(folder, name), content);
  for (const name of ["bundle.mjs", "prepare-bundle.mjs"])
    copyFileSync(join(root, "bin", name), join(folder, "bin", name));
  symlinkSync(join(root, "node_modules/rolldown"), join(folder, "node_modules/rolldown"));
  const run = async (...args: string[]) =>
    (await promisify(execFile)(process.execPath, args, { cwd: folder })).stdout;
  await run("bin/prepare-bundle.mjs");
  const findMain = async () =>
    (
      await run("--input-type=module", "-e", 'console.log((await import("./bin/bundle.mjs")).findMain())')
    ).trim();
  return { folder, run, findMain };
}

describe("the bundle of the program", () => {
  const bundled = "node_modules/.cache/signalbox-bundle/main.mjs";

  test("was written when this checkout was installed", () => {
    expect(existsSync(join(root, bundled))).toBe(true);
  });

  test("does what the sources do, and finds files beside the sources", async () => {
    const { run } = await createProgram();
    const output = await run(bundled);
    expect(output).toBe("Hello Ada later\na note\na note\n");
    expect(output).toBe(await run("src/main.ts"));
  });

  test.each<[string, (folder: string) => void]>([
    ["changed", (folder) => appendFileSync(join(folder, "src/part.ts"), "\n")],
    [
      "changed without another size",
      (folder) => {
        const time = new Date(Date.now() + 1_000);
        utimesSync(join(folder, "packages/one/src/index.ts"), time, time);
      },
    ],
    ["added", (folder) => writeFileSync(join(folder, "src/more.ts"), "")],
    ["removed", (folder) => rmSync(join(folder, "src/note.txt"))],
  ])("is not used once a source file was %s", async (_, change) => {
    const { folder, findMain } = await createProgram();
    expect(await findMain()).toBe(join(folder, bundled));
    change(folder);
    expect(await findMain()).toBe(join(folder, "src/main.ts"));
  });

  test("is not written when it fails, and the installation goes on", async () => {
    const { folder, run, findMain } = await createProgram();
    writeFileSync(join(folder, "src/part.ts"), "export const greet = (");
    await run("bin/prepare-bundle.mjs");
    expect(existsSync(join(folder, bundled))).toBe(false);
    expect(await findMain()).toBe(join(folder, "src/main.ts"));
  });

  test("is not needed", async () => {
    const { folder, findMain } = await createProgram();
    rmSync(join(folder, "node_modules"), { recursive: true });
    expect(await findMain()).toBe(join(folder, "src/main.ts"));
  });

  test("stays in use when a test was changed", async () => {
    const { folder, findMain } = await createProgram();
    writeFileSync(join(folder, "src/part.test.ts"), "");
    expect(await findMain()).toBe(join(folder, bundled));
  });
});
