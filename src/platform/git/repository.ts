import type { Egress } from "@signalbox/discovery/egress";
import { type Budget, createBudget } from "./budget.ts";
import { type Capabilities, readCapabilities } from "./capabilities.ts";
import { GitError, malformed } from "./errors.ts";
import { defaultLimits, type GitLimits, mebibytes } from "./limits.ts";
import { type Commit, parseCommit, parseTag, parseTree, type TreeEntry } from "./objects.ts";
import type { Pack } from "./pack.ts";
import { fetchAdvertisement, type Remote } from "./transport.ts";
import { createYield } from "./turns.ts";
import { fetchPack, listRef, type PackRequest } from "./upload-pack.ts";

export interface RepositoryOptions {
  /** http or https. */
  url: string;
  /** The value of the `authorization` header. */
  authorization?: string | undefined;
  signal?: AbortSignal | undefined;
  limits?: Partial<GitLimits> | undefined;
}

/** A repository on another machine, read over git's smart HTTP into memory and nowhere else. */
export interface Repository {
  /** What the ref points to; undefined: there is no such ref. */
  resolve(ref: string): Promise<string | undefined>;
  /** One commit with its folders; files come when they are read, where the server can leave them out. */
  snapshot(id: string): Promise<Snapshot>;
}

export interface Snapshot {
  id: string;
  commit: Commit;
  /** Yields the entries of a folder one by one, so that a large folder is never held as a list of objects. */
  tree(id: string): Iterable<TreeEntry>;
  /** Each file once, in no order; undefined for one that is larger than `maxBytes`. */
  files(ids: Iterable<string>, maxBytes: number): AsyncIterable<[id: string, data: Buffer | undefined]>;
}

const filesAtOnce = 1_000;

export async function openRepository(
  egress: Pick<Egress, "open">,
  options: RepositoryOptions,
): Promise<Repository> {
  const asked: Remote = {
    egress,
    url: options.url.replace(/\/+$/, ""),
    authorization: options.authorization,
    signal: options.signal,
    limits: { ...defaultLimits, ...options.limits },
  };
  const { remote, reply } = await fetchAdvertisement(asked);
  const capabilities = await readCapabilities(remote, reply);
  const budget = createBudget(remote.limits);
  return {
    resolve: async (ref) => {
      if (capabilities.version === 2) return listRef(remote, ref);
      return capabilities.refs.get(`${ref}^{}`) ?? capabilities.refs.get(ref);
    },
    snapshot: (id) => openSnapshot(remote, capabilities, id, budget),
  };
}

async function openSnapshot(
  remote: Remote,
  capabilities: Capabilities,
  id: string,
  budget: Budget,
): Promise<Snapshot> {
  const withoutFiles = capabilities.version === 2 && capabilities.filter;
  const shallow = capabilities.version === 0 || capabilities.shallow;
  const head = [capabilities.version === 2 ? id : findAdvertisedId(capabilities.refs, id)];
  const requestPack = (wanted: PackRequest) => fetchPack(remote, capabilities, wanted, budget);
  const pack = await requestPack({ ids: head, shallow, withoutFiles });
  const commit = readCommit(pack, id);
  return {
    id,
    commit,
    tree(treeId) {
      // The empty tree is not stored in repositories, because every git knows its id.
      if (treeId === emptyTree && !pack.find(treeId)) return [];
      // An object that is too large is not in the pack's index.
      if (!pack.find(treeId) && pack.skipped > 0)
        throw new GitError(
          "too_large",
          `A folder of the repository takes more than ${mebibytes(remote.limits.objectBytes)}. Divide it into several folders.`,
        );
      const { type, data } = pack.read(treeId);
      if (type !== "tree") throw malformed("an object that should be a folder is not a folder");
      return parseTree(data);
    },
    async *files(ids, maxBytes) {
      const missing: string[] = [];
      const turn = createYield(remote.signal);
      for (const one of new Set(ids)) {
        await turn();
        if (pack.find(one)) yield [one, readFile(pack, one, maxBytes)];
        else if (withoutFiles) missing.push(one);
        else yield [one, checkMissingFile(pack)];
      }
      let whole: Pack | undefined;
      for (let at = 0; at < missing.length; at += filesAtOnce) {
        const wanted = missing.slice(at, at + filesAtOnce);
        let more = whole;
        more ??= await requestPack({ ids: wanted, shallow: false, withoutFiles: false }).catch(
          async (error) => {
            // Some servers leave files out and do not send them by id. Then everything is fetched at once.
            if (!(error instanceof GitError) || error.kind === "too_large") throw error;
            whole = await requestPack({ ids: head, shallow, withoutFiles: false });
            return whole;
          },
        );
        for (const one of wanted) {
          await turn();
          yield [one, more.find(one) ? readFile(more, one, maxBytes) : checkMissingFile(more)];
        }
      }
    },
  };
}

/** Version 0 sends only objects that it listed. The target of a tag is requested by the tag. */
function findAdvertisedId(refs: ReadonlyMap<string, string>, id: string): string {
  const peeled = [...refs].find(([name, target]) => target === id && name.endsWith("^{}"))?.[0];
  return (peeled && refs.get(peeled.slice(0, -3))) ?? id;
}

const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

function readCommit(pack: Pack, id: string): Commit {
  for (let at = id, hops = 0; hops < 5; hops++) {
    const { type, data } = pack.read(at);
    if (type === "commit") return parseCommit(data);
    if (type !== "tag") break;
    at = parseTag(data);
  }
  throw new GitError("unsupported", "The ref points to something that is not a commit.");
}

function readFile(pack: Pack, id: string, maxBytes: number): Buffer | undefined {
  const { type, size } = pack.find(id)!;
  if (type !== "blob") throw malformed("an object that should be a file is not a file");
  return size > maxBytes ? undefined : pack.read(id).data;
}

/** A file may be missing because it is too large. Otherwise the server left it out, which is an error. */
function checkMissingFile(pack: Pack): undefined {
  if (pack.skipped === 0) throw malformed("a file is missing");
  return undefined;
}
