import { hash } from "node:crypto";

/** Text by path. The ids below are computed as git does, so a real repository would have the same ids. */
type Files = ReadonlyMap<string, string>;

const hashObject = (kind: string, content: Buffer): string =>
  hash("sha1", Buffer.concat([Buffer.from(`${kind} ${content.length}\0`), content]), "hex");

export const hashBlob = (text: string): string => hashObject("blob", Buffer.from(text));

function hashTree(files: Files): string {
  const entries = new Map<string, { mode: string; id: string }>();
  const folders = new Map<string, Map<string, string>>();
  for (const [path, text] of files) {
    const slash = path.indexOf("/");
    if (slash < 0) entries.set(path, { mode: "100644", id: hashBlob(text) });
    else {
      const folder = folders.get(path.slice(0, slash)) ?? new Map<string, string>();
      folders.set(path.slice(0, slash), folder.set(path.slice(slash + 1), text));
    }
  }
  for (const [name, inside] of folders) entries.set(name, { mode: "40000", id: hashTree(inside) });
  // Git orders folders as if their names ended in a slash.
  const sortName = (name: string) => (folders.has(name) ? `${name}/` : name);
  const ordered = [...entries].sort(([a], [b]) =>
    Buffer.compare(Buffer.from(sortName(a)), Buffer.from(sortName(b))),
  );
  return hashObject(
    "tree",
    Buffer.concat(
      ordered.flatMap(([name, { mode, id }]) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(id, "hex")]),
    ),
  );
}

export interface Commit {
  files: Files;
  parent: string | undefined;
  author: { name: string; email: string };
  at: number;
  message: string;
}

export function hashCommit({ files, parent, author, at, message }: Commit): string {
  const who = `${author.name} <${author.email}> ${Math.floor(at / 1000)} +0000`;
  const lines = [
    `tree ${hashTree(files)}`,
    ...(parent ? [`parent ${parent}`] : []),
    `author ${who}`,
    `committer ${who}`,
    "",
    `${message}\n`,
  ];
  return hashObject("commit", Buffer.from(lines.join("\n")));
}
