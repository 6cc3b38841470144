/** Servers on loopback that a hostile organization points the service at. */
import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";
import { startGitServer } from "../../fixtures/git-server.ts";
import { emptyPackets } from "../../fixtures/hostile-repository.ts";

export interface HostileServers {
  /** Clone URLs, by the kind of hostile repository. */
  repositories: Record<string, string>;
  /** Accepts connections and never answers. */
  silentUrl: string;
  close(): Promise<void>;
}

export async function startHostileServers(): Promise<HostileServers> {
  const packetsReply = emptyPackets(13_000_000);
  const silent = createServer();
  const sockets = new Set<Socket>();
  silent.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));

  const git = await startGitServer({
    async intercept({ url, method }, response) {
      if (!url?.startsWith("/evil/packets.git/git-upload-pack") || method !== "POST") return false;
      const isFetch = git.requests.at(-1)?.body.includes("command=fetch");
      if (!isFetch) return false;
      response.writeHead(200, {
        "content-type": "application/x-git-upload-pack-result",
        "content-encoding": "gzip",
      });
      response.end(packetsReply);
      return true;
    },
  });
  // YAML with aliases is small to send and expensive to parse. A thousand files share this blob.
  const yaml = `---\nname: A\nlist: &a [${"x, ".repeat(1_500)}x]\nmore: [${"*a, ".repeat(200)}*a]\n---\nHello.\n`;
  const shared = await git.repository("evil/shared");
  await shared.commit(Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`file-${i}.md`, yaml])));

  const folder = await git.repository("evil/folder");
  const blob = await folder.git(["hash-object", "-w", "--stdin"], "Hello.\n");
  const entries = Array.from(
    { length: 100_000 },
    (_, i) => `100644 blob ${blob}\tentry-${String(i).padStart(6, "0")}.txt`,
  );
  await commitTree(folder, await folder.git(["mktree"], `${entries.join("\n")}\n`));

  const names = await git.repository("evil/names");
  const long = await names.git(["mktree"], `100644 blob ${await hello(names)}\t${"n".repeat(4 << 20)}.md\n`);
  const folders = Array.from({ length: 500 }, (_, i) => `040000 tree ${long}\tfolder-${i}`);
  await commitTree(names, await names.git(["mktree"], `${folders.join("\n")}\n`));

  const packets = await git.repository("evil/packets");
  await packets.commit({ "one.md": "Hello.\n" });

  return {
    repositories: { shared: shared.url, folder: folder.url, names: names.url, packets: packets.url },
    silentUrl: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => silent.close(resolve));
      await git.close();
    },
  };
}

type Repository = Awaited<ReturnType<Awaited<ReturnType<typeof startGitServer>>["repository"]>>;

const hello = (repository: Repository) => repository.git(["hash-object", "-w", "--stdin"], "Hello.\n");

async function commitTree(repository: Repository, tree: string): Promise<void> {
  const commit = await repository.git(["commit-tree", tree, "-m", "change"]);
  await repository.git(["update-ref", "refs/heads/main", commit]);
}
