/** Runs in a worker thread. Repository content is unpacked and parsed only here. */
import { hash } from "node:crypto";
import {
  createYield,
  GitError,
  type GitErrorKind,
  openRepository,
  type Repository,
} from "../../../platform/git/index.ts";
import { createThreadEgress, credentialPlaceholder } from "../../../platform/sandbox/egress.ts";
import type { Host, Run } from "../../../platform/sandbox/index.ts";
import type { FileReader, FoundFile, Problem } from "../../templates/index.ts";
import { Failure } from "../failure.ts";
import type { ErrorCode } from "../sync-errors.ts";
import { type Candidate, listFolder } from "./folder.ts";

export interface ReadInput {
  cloneUrl: string;
  /** True when the main thread has a credential for the repository. */
  isAuthorized: boolean;
  ref: string;
  folder: string;
  /** Known files by path, with the hash of their content. Files with the same hash are not fetched again. */
  known: readonly (readonly [path: string, source: string | null])[];
  /** When false, templates are counted and not sent. */
  wantsFiles: boolean;
  timeoutMs: number | undefined;
  /** The URL of the module that parses files into templates. */
  fileReader: string;
}

export type ReadEvent =
  | { type: "opened" }
  | { type: "resolved"; commit: string }
  | { type: "files"; files: FoundFile[] };

export type ReadResult =
  | {
      type: "read";
      author: string | null;
      /** Problems of the folder. They include those of its files when `wantsFiles` is false. */
      problems: readonly Problem[];
      problemCount: number;
      templateCount: number;
    }
  | { type: "git_error"; kind: GitErrorKind; message: string }
  | { type: "failure"; code: ErrorCode; message: string; retryable: boolean };

/** Increase this when files are parsed differently than before, so that every file is read again. */
const parserVersion = 1;
const maxFileBytes = 512 * 1024;
/** Limit for the templates. A blob that several files share counts for each file. */
const maxTemplateBytes = 64 * 1024 * 1024;
/** Limit for the blobs that are parsed, templates or not. A shared blob counts once. */
const maxParsedBytes = 256 * 1024 * 1024;
/** Limits for one message to the main thread, small enough to receive without a stall. */
const maxSliceBytes = 256 * 1024;
const maxSliceFiles = 200;

const run: Run<ReadInput, ReadResult, ReadEvent> = async (input, host) => {
  try {
    return await readRepository(input, host);
  } catch (error) {
    if (error instanceof GitError) return { type: "git_error", kind: error.kind, message: error.message };
    if (error instanceof Failure)
      return { type: "failure", code: error.code, message: error.message, retryable: error.retryable };
    throw error;
  }
};
export default run;

async function readRepository(input: ReadInput, host: Host<ReadEvent>): Promise<ReadResult> {
  const { folder, known: knownFiles, wantsFiles, timeoutMs } = input;
  const { toFileTemplate, createProblemList, parseFile } = (await import(
    input.fileReader
  )) as typeof FileReader;
  const repository = await openRepository(createThreadEgress(host), {
    url: input.cloneUrl,
    authorization: input.isAuthorized ? credentialPlaceholder : undefined,
    limits: timeoutMs === undefined ? {} : { timeoutMs },
  });
  await host.emit({ type: "opened" });
  const commit = await resolveHead(repository, input.ref);
  await host.emit({ type: "resolved", commit });
  const snapshot = await repository.snapshot(commit);
  const problems = createProblemList();
  const out = createFileSender(host);
  const known = new Map(knownFiles);
  const wanted = new Map<string, Candidate[]>();
  const hashSource = ({ blob }: Candidate) =>
    hash("sha256", `${parserVersion} ${folder}\0${blob}`, "base64url");
  for (const candidate of await listFolder(snapshot, folder, problems)) {
    const { path, blob } = candidate;
    const source = hashSource(candidate);
    if (known.get(path) === source) {
      await out.add({ path, source, content: undefined }, 0);
      continue;
    }
    const sharing = wanted.get(blob);
    if (sharing) sharing.push(candidate);
    else wanted.set(blob, [candidate]);
  }
  let templateBytes = 0;
  let parsedBytes = 0;
  let templateCount = 0;
  const turn = createYield();
  for await (const [blob, data] of snapshot.files(wanted.keys(), maxFileBytes)) {
    parsedBytes += data?.length ?? 0;
    if (parsedBytes > maxParsedBytes) throw tooLarge("The Markdown files", maxParsedBytes);
    const parsed = data
      ? parseFile(data)
      : ({
          kind: "unreadable",
          line: null,
          message: "The file is too large. A template may have 256 KiB.",
        } as const);
    for (const candidate of wanted.get(blob)!) {
      await turn();
      const { path, name } = candidate;
      const template = toFileTemplate(parsed, path, name);
      if (!template) continue;
      const bytes = "json" in template ? template.json.length : 0;
      templateBytes += bytes;
      if (templateBytes > maxTemplateBytes) throw tooLarge("The files", maxTemplateBytes);
      if ("json" in template) templateCount++;
      if (wantsFiles) await out.add({ path, source: hashSource(candidate), content: template }, bytes);
      else if ("message" in template) problems.add(template);
    }
  }
  await out.flush();
  const { items, count } = problems;
  const author = snapshot.commit.author ?? null;
  return { type: "read", author, problems: items, problemCount: count, templateCount };
}

const tooLarge = (what: string, bytes: number) =>
  new Failure(
    "too_large",
    `${what} of the folder are more than ${bytes / 1024 / 1024} MiB together. Choose a smaller one.`,
  );

async function resolveHead(repository: Repository, ref: string): Promise<string> {
  const head = await repository.resolve(ref);
  if (head) return head;
  const [, kind, name] = /^refs\/(heads|tags)\/(.*)$/.exec(ref) ?? [];
  throw new Failure(
    "ref_not_found",
    `There is no ${kind === "tags" ? "tag" : "branch"} ${name ?? ref} in the repository. The templates were left as they are.`,
  );
}

/** Sends files to the main thread in slices. */
function createFileSender(host: Host<ReadEvent>) {
  let files: FoundFile[] = [];
  let size = 0;
  const flush = async () => {
    const slice = files;
    files = [];
    size = 0;
    if (slice.length > 0) await host.emit({ type: "files", files: slice });
  };
  return {
    flush,
    async add(file: FoundFile, bytes: number): Promise<void> {
      if (files.length >= maxSliceFiles || (files.length > 0 && size + bytes > maxSliceBytes)) await flush();
      files.push(file);
      size += bytes;
    },
  };
}
