import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { MemoryFS, PGlite } from "@electric-sql/pglite";
import { type Engine, openPglite } from "../src/platform/db/index.ts";

const modules = join(import.meta.dirname, "../node_modules");

/** Copies of the cluster are in memory: files of the log of 1 MB instead of 16, and no checksums of pages. */
const withoutDisk = ["--wal-segsize=1", "--no-data-checksums"];

/**
 * An empty database cluster of the embedded engine, as an archive. Creating one takes several seconds of CPU time, and
 * the result depends on the version of the engine alone, so it is kept with the installed packages.
 */
export async function readCluster(): Promise<Blob> {
  const { version } = JSON.parse(readFileSync(join(modules, "@electric-sql/pglite/package.json"), "utf8"));
  const folder = join(modules, ".cache/signalbox-tests");
  const file = join(folder, `cluster-${version}.tar`);
  if (!existsSync(file)) {
    const pg = await PGlite.create({ initDbStartParams: withoutDisk });
    const archive = await dumpCluster(pg);
    await pg.close();
    mkdirSync(folder, { recursive: true });
    // Another process may be doing the same. Each writes its own file, and the last one to finish stays.
    const unfinished = `${file}.${process.pid}`;
    writeFileSync(unfinished, archive);
    renameSync(unfinished, file);
  }
  return new Blob([readFileSync(file)]);
}

/** Drops the databases that only serve to create others: loading them takes time. */
export async function shrinkCluster(pg: PGlite): Promise<void> {
  await pg.exec("update pg_database set datistemplate = false");
  for (const name of ["template0", "template1"]) await pg.exec(`drop database if exists ${name}`);
  await pg.exec("checkpoint");
}

async function dumpCluster(pg: PGlite): Promise<Buffer> {
  await shrinkCluster(pg);
  return Buffer.from(await (await pg.dumpDataDir("none")).arrayBuffer());
}

/** An empty embedded database, in memory. */
export const openEmptyPglite = async (): Promise<Engine> =>
  openPglite(undefined, { loadDataDir: await readCluster() });

/** Creates the empty database of a data folder. */
export async function writeCluster(dataDir: string): Promise<void> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const pg = await PGlite.create({ dataDir: join(dataDir, "pg"), loadDataDir: await readCluster() });
  await pg.close();
}

export interface ClusterFile {
  path: string;
  mode: number;
  /** Absent for a folder. */
  content?: Uint8Array;
}

/** The files of a data folder of the embedded engine. Each folder comes before its files. */
export const readClusterFiles = (folder: string): ClusterFile[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .sort()
    .map((path) => {
      const stat = statSync(join(folder, path));
      const mode = stat.mode & 0o777;
      return stat.isFile() ? { path, mode, content: readFileSync(join(folder, path)) } : { path, mode };
    });

/** Where the engine expects its data. */
const dataPath = "/pglite/data";

/** The part of the engine's file system that is used here. Its types do not declare it. */
interface MemoryFiles {
  mkdirTree(path: string, mode: number): void;
  create(path: string, mode: number): { contents: Uint8Array; usedBytes: number };
}

/** A file system in memory with a copy of these files. Loading the same from an archive takes twice the CPU time. */
export class PreparedFiles extends MemoryFS {
  readonly #files: readonly ClusterFile[];

  constructor(files: readonly ClusterFile[]) {
    super();
    this.#files = files;
  }

  override async initialSyncFs(): Promise<void> {
    const memory = this.pg!.Module.FS as unknown as MemoryFiles;
    memory.mkdirTree(dataPath, 0o700);
    for (const { path, mode, content } of this.#files) {
      const target = `${dataPath}/${path}`;
      if (!content) memory.mkdirTree(target, mode);
      else
        Object.assign(memory.create(target, mode), {
          contents: new Uint8Array(content),
          usedBytes: content.length,
        });
    }
  }
}
