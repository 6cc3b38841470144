import type { Platform } from "../../../platform/context.ts";
import { GitError, openRepository, type Repository } from "../../../platform/git/index.ts";
import { createEgressService } from "../../../platform/sandbox/egress.ts";
import { type FoundFile, fileReader, type Problem } from "../../templates/index.ts";
import { type Credentials, withAuthorization } from "../access/index.ts";
import { Failure } from "../failure.ts";
import type { ReadEvent, ReadInput, ReadResult } from "./task.ts";

/** What to read, with the credentials for it. */
export interface Target extends Credentials {
  ref: string;
  folder: string;
}

/** What was found at a ref. */
export interface RepositoryContent {
  commit: string;
  author: string | null;
  /** Empty when `wantsFiles` is false. */
  files: FoundFile[];
  /** The first problems. `problemCount` counts all of them. */
  problems: readonly Problem[];
  problemCount: number;
  templateCount: number;
}

/** Opens the repository with its credential, to resolve refs only. `readTarget` reads the content. */
export const openTarget = <T>(
  platform: Pick<Platform, "keyring" | "egress" | "state">,
  target: Target,
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
  work: (repository: Pick<Repository, "resolve">) => Promise<T>,
): Promise<T> => {
  const { keyring, state } = platform;
  const egress = platform.egress.forOrganization(target.orgId);
  return withAuthorization({ keyring, egress, state }, target, async (authorization) =>
    work(
      await openRepository(egress, { url: target.cloneUrl, authorization, signal, limits: { timeoutMs } }),
    ),
  );
};

export interface ReadOptions {
  signal: AbortSignal;
  /** Limit for one request to the server. */
  timeoutMs?: number;
  /** Limit for unpacking and parsing. Time spent waiting for the server does not count. */
  computeMs: number;
  /** Files that are not fetched again while they are unchanged; see `listKnownFiles`. */
  known?: ReadonlyMap<string, string | null>;
  /** When false, templates are counted and not returned. */
  wantsFiles: boolean;
  onOpened?(): void;
  onResolved?(commit: string): void | Promise<void>;
}

/** Reads the folder at the ref in a worker thread, so that neither its size nor its content can stall this process. */
export function readTarget(
  platform: Pick<Platform, "keyring" | "egress" | "sandbox" | "state">,
  target: Target,
  options: ReadOptions,
): Promise<RepositoryContent> {
  const { keyring, sandbox, state } = platform;
  const egress = platform.egress.forOrganization(target.orgId);
  return withAuthorization({ keyring, egress, state }, target, async (authorization) => {
    const { known, wantsFiles, timeoutMs, computeMs, signal } = options;
    const { cloneUrl, ref, folder } = target;
    const input: ReadInput = {
      cloneUrl,
      ref,
      folder,
      isAuthorized: authorization !== undefined,
      known: [...(known ?? [])],
      wantsFiles,
      timeoutMs,
      fileReader: fileReader.href,
    };
    const files: FoundFile[] = [];
    let commit = "";
    const result = await sandbox.run<ReadResult, ReadEvent>({
      module: new URL("./task.ts", import.meta.url),
      input,
      services: createEgressService(
        egress,
        authorization === undefined ? undefined : { origin: new URL(cloneUrl).origin, authorization },
      ),
      async onEvent(event) {
        if (event.type === "files") files.push(...event.files);
        else if (event.type === "opened") options.onOpened?.();
        else {
          commit = event.commit;
          await options.onResolved?.(commit);
        }
      },
      computeMs,
      signal,
    });
    if (result.type === "git_error") throw new GitError(result.kind, result.message);
    if (result.type === "failure") throw new Failure(result.code, result.message, result.retryable);
    const { author, problems, problemCount, templateCount } = result;
    return { commit, author, files, problems, problemCount, templateCount };
  });
}
