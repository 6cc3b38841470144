import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

/** Returns the text of `docs/<name>.md`. */
export const readGuide = (name: string): string => readFileSync(join(root, `docs/${name}.md`), "utf8");

/** Returns the source of a room without its tests, as one text. */
export function readRoomSource(room: string): string {
  const folder = join(root, "src/features", room);
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .map((file) => readFileSync(join(folder, file), "utf8"))
    .join("\n");
}
