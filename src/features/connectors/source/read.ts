import { hash } from "node:crypto";
import type { Platform } from "../../../platform/context.ts";
import { openRepository, type Repository } from "../../../platform/git/index.ts";
import { type FoundFile, type Problem, readTemplate } from "../../templates/index.ts";
import { authorized, type Credentials } from "../access/index.ts";
import { Failure } from "../failure.ts";
import { type Candidate, listFolder } from "./folder.ts";

/** What is read, and how it is opened. */
export interface Target extends Credentials {
  cloneUrl: string;
  ref: string;
  folder: string;
}

/** What was found at a ref. */
export interface Reading {
  commit: string;
  author: string | null;
  files: FoundFile[];
  problems: Problem[];
}

/** Counts up when the same file would be read otherwise than before: then every file is read again. */
const format = 1;
const mostFileBytes = 512 * 1024;
const mostBytes = 64 * 1024 * 1024;

/** The repository, once somebody let us in. */
export const openTarget = <T>(
  platform: Pick<Platform, "keyring" | "egress">,
  target: Target,
  { signal, timeoutMs }: { signal?: AbortSignal | undefined; timeoutMs?: number },
  work: (repository: Repository) => Promise<T>,
): Promise<T> =>
  authorized(platform, target, async (authorization) => {
    const limits = timeoutMs === undefined ? {} : { timeoutMs };
    return work(
      await openRepository(platform.egress, { url: target.cloneUrl, authorization, signal, limits }),
    );
  });

export async function resolveHead(repository: Repository, ref: string): Promise<string> {
  const head = await repository.resolve(ref);
  if (head) return head;
  const [, kind, name] = /^refs\/(heads|tags)\/(.*)$/.exec(ref) ?? [];
  throw new Failure(
    "ref_not_found",
    `There is no ${kind === "tags" ? "tag" : "branch"} ${name ?? ref} in the repository. The templates were left as they are.`,
  );
}

/** The folder at a commit. Files that are known are not fetched again. */
export async function readFolder(
  repository: Repository,
  commit: string,
  folder: string,
  known: ReadonlyMap<string, string | null>,
): Promise<Reading> {
  const snapshot = await repository.snapshot(commit);
  const { files: candidates, problems } = await listFolder(snapshot, folder);
  const sourceOf = ({ blob }: Candidate) => hash("sha256", `${format} ${folder}\0${blob}`, "base64url");
  const files: FoundFile[] = [];
  const wanted = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    const { path, blob } = candidate;
    const source = sourceOf(candidate);
    if (known.get(path) === source) files.push({ path, source, said: undefined });
    else wanted.set(blob, [...(wanted.get(blob) ?? []), candidate]);
  }
  let kept = 0;
  for await (const [blob, data] of snapshot.files(wanted.keys(), mostFileBytes)) {
    for (const candidate of wanted.get(blob)!) {
      const { path, name } = candidate;
      const said = data
        ? readTemplate(path, name, data)
        : { path, line: null, message: "The file is too large. A template may have 256 KiB." };
      if (!said) continue;
      kept += data?.length ?? 0;
      if (kept > mostBytes)
        throw new Failure(
          "too_large",
          "The files of the folder are more than 64 MiB together. Choose a smaller one.",
        );
      files.push({ path, source: sourceOf(candidate), said });
    }
  }
  return { commit, author: snapshot.commit.author ?? null, files, problems };
}
