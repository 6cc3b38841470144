import { constants, existsSync, rmSync, writeFileSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { tightenContents } from "@signalbox/command-line/folders";
import { OperatorError } from "../errors.ts";
import type { Db, Engine } from "./db.ts";
import { describeFullDisk } from "./disk.ts";
import { openPglite } from "./pglite.ts";

const databaseIn = (dataDir: string) => join(dataDir, "pg");

export const hasDatabase = (dataDir: string): boolean => existsSync(databaseIn(dataDir));

/**
 * Opens the database of a data folder, and creates it if there is none. The file `pg.unfinished` exists while the
 * database is being created. If the process is killed then, the next start removes the incomplete database and creates
 * it again. `create` may write the files of the new database; without it, the engine creates an empty one.
 */
export async function openEmbedded(dataDir: string, create?: (folder: string) => unknown): Promise<Engine> {
  const folder = databaseIn(dataDir);
  const unfinished = join(dataDir, "pg.unfinished");
  if (existsSync(unfinished)) rmSync(folder, { recursive: true, force: true });
  const isNew = !existsSync(folder);
  if (isNew) writeFileSync(unfinished, "", { mode: 0o600 });
  try {
    if (isNew) create?.(folder);
    const engine = await openPglite(folder);
    // The engine creates its first files with its own modes. Later files take over the modes of these.
    if (isNew) tightenContents(folder, "DATA_DIR");
    rmSync(unfinished, { force: true });
    return engine;
  } catch (error) {
    throw new OperatorError(
      `The embedded database in ${folder} does not open (${(error as Error).message}). ` +
        (describeFullDisk(dataDir) ??
          "Restore a backup of the data folder, or choose another one with DATA_DIR."),
      { cause: error },
    );
  }
}

/**
 * Copies the files of the open database to another folder. Statements of others wait meanwhile. The copy opens like a
 * database after a crash, with everything that was committed. A copy that fails is removed before they continue, because
 * it may have filled the disk.
 */
export async function copyEmbedded(db: Db, dataDir: string, target: string): Promise<void> {
  await db.withOptions({ work: "unlimited" }).transaction(async (tx) => {
    await tx.queryWithDriverTypes("checkpoint");
    try {
      await cp(databaseIn(dataDir), target, { recursive: true, mode: constants.COPYFILE_FICLONE });
    } catch (error) {
      rmSync(target, { recursive: true, force: true });
      throw new OperatorError(
        `The database cannot be copied to ${target} (${(error as NodeJS.ErrnoException).code}). The copy needs as much ` +
          `free space as ${databaseIn(dataDir)}. Free some, or stop the service and back up again.`,
        { cause: error },
      );
    }
  });
}
