import { chmodSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Removes a folder that a program could write. Returns why it is still there, or undefined. */
export function removeFolder(folder: string): string | undefined {
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    remove();
    return undefined;
  } catch {
    // Some tools write-protect their folders, such as the module cache of Go.
    makeFoldersWritable(folder);
  }
  try {
    remove();
    return undefined;
  } catch (error) {
    return `${folder} cannot be removed (${(error as NodeJS.ErrnoException).code ?? (error as Error).message}). Remove it yourself.`;
  }
}

/** What cannot be changed is left: the removal that follows says why it fails. */
function makeFoldersWritable(folder: string): void {
  try {
    // A link leads out of the folder.
    if (!lstatSync(folder).isDirectory()) return;
    chmodSync(folder, 0o700);
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory()) makeFoldersWritable(join(folder, entry.name));
  } catch {}
}
