import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { freshFolder } from "../kit.ts";
import type { Block } from "./blocks.ts";
import type { Instance } from "./instance.ts";
import type { Call, World } from "./recorded.ts";
import { prepareWorld, type Terminal } from "./world.ts";

function writeProgram(path: string, script: string): void {
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

/** A folder with programs that record what the commands of a block do. */
export function createPrograms(): string {
  const folder = join(freshFolder(), "bin");
  mkdirSync(folder, { recursive: true });
  const recorded = join(import.meta.dirname, "recorded.ts");
  // Removing the types of the program takes longer than the program itself.
  const cache = `NODE_COMPILE_CACHE='${join(folder, "compiled")}'`;
  for (const program of ["curl", "signalbox"])
    writeProgram(join(folder, program), `${cache} exec '${process.execPath}' '${recorded}' ${program} "$@"`);
  writeProgram(join(folder, "npx"), 'exec "$@"');
  // It stands for any agent: it reads its instructions and answers with one line.
  writeProgram(join(folder, "my-agent"), 'cat >/dev/null; echo "Done."');
  return folder;
}

/** What a block did. */
export interface Outcome {
  calls: Call[];
  exitCode: number;
  output: string;
}

/** The names that a block sets, such as in `KEY=$(…)`. */
const readVariables = ({ text }: Block): string[] =>
  [...text.matchAll(/^(?:export )?([A-Z_]+)=/gm)].map(([, name]) => name!);

export async function runBlock(
  programs: string,
  instance: Instance,
  block: Block,
  terminal?: Terminal,
): Promise<Outcome> {
  const world = await prepareWorld(instance, block, terminal);
  const files = { state: join(programs, "state.json"), log: join(programs, "log") };
  writeFileSync(files.state, JSON.stringify(world));
  writeFileSync(files.log, "");
  const { url } = instance.server;
  let script = block.text
    .replaceAll("http://127.0.0.1:8787", url)
    .replaceAll("https://signalbox.example.com", url)
    .replaceAll("sbx_…", world.key)
    .replace("TOKEN=…", `TOKEN=${world.token}`)
    .replace('"password":"…"', `"password":"${world.password}"`);
  for (const [text, value] of Object.entries(world.texts)) script = script.replaceAll(text, value);
  // Blocks use what the blocks above them on the page have set.
  const prelude = `
    S=${url} SB=$S SIGNALBOX=$S URL=$S KEY=${world.key} TOKEN=${world.token} SESSION=$TOKEN
    auth="authorization: Bearer $TOKEN"; json='content-type: application/json'
    h() { curl -s "$SB$1" -H "${block.file === "docs/oauth-providers.md" ? "$auth" : "x-api-key: $KEY"}" -H "$json" "\${@:2}"; }
  `;
  const keep = terminal
    ? `touch '${terminal.file}'; . '${terminal.file}'
       trap 'declare -p ${readVariables(block).join(" ")} >>"${terminal.file}" 2>/dev/null; declare -f >>"${terminal.file}"' EXIT`
    : "";
  const env = {
    PATH: [programs, process.env.PATH].join(delimiter),
    HOME: instance.home,
    DATA_DIR: instance.dataDir,
    SIGNALBOX_URL: url,
    SIGNALBOX_API_KEY: world.key,
    DOCUMENT_STATE: files.state,
    DOCUMENT_LOG: files.log,
    REAL_CURL: "/usr/bin/curl",
    ...world.env,
  };
  const [exitCode, output] = await new Promise<[number, string]>((resolve) => {
    const child = execFile(
      "bash",
      ["-c", `${prelude}\n${keep}\n${script}`],
      { cwd: instance.home, env, timeout: 110_000 },
      (error, stdout, stderr) => resolve([error ? Number(error.code ?? -1) : 0, stdout + stderr]),
    );
    child.stdin?.end();
  });
  const calls = readFileSync(files.log, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Call);
  if (terminal) {
    const { ids, texts } = JSON.parse(readFileSync(files.state, "utf8")) as World;
    Object.assign(terminal.ids, ids);
    Object.assign(terminal.texts, texts);
  }
  return { calls, exitCode, output };
}
