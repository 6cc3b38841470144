/** The rules of the house, each as a function from sources to what breaks it. */
import { posix } from "node:path";

/** Path from the root, with `/`, to text. Test files are not judged. */
export type Sources = ReadonlyMap<string, string>;
export type Rule = (sources: Sources) => string[];

interface Import {
  from: string;
  to: string;
}

const importPattern =
  /(?:^|\n)\s*(?:import|export)\b[^;"'`]*?\bfrom\s*"(\.[^"]+)"|\bimport\(\s*"(\.[^"]+)"\s*\)/g;

function importsOf(sources: Sources): Import[] {
  return [...sources].flatMap(([from, text]) =>
    [...text.matchAll(importPattern)].map((match) => ({
      from,
      to: posix.join(posix.dirname(from), match[1] ?? match[2]!),
    })),
  );
}

/** `src/features/members/store.ts` → `members`. */
const roomOf = (path: string) => /^src\/features\/([^/]+)\//.exec(path)?.[1];
const isDoor = (path: string) => /^src\/features\/[^/]+\/index\.ts$/.test(path);

export const platformKnowsNoProduct: Rule = (sources) =>
  importsOf(sources)
    .filter(({ from, to }) => from.startsWith("src/platform/") && !to.startsWith("src/platform/"))
    .filter(({ to }) => to.startsWith("src/"))
    .map(({ from, to }) => `${from} imports ${to}: the platform knows no product`);

export const stairsOnlyGoDown: Rule = (sources) =>
  importsOf(sources)
    .filter(({ from, to }) => roomOf(from) && to.startsWith("src/"))
    .filter(({ to }) => !roomOf(to) && !to.startsWith("src/platform/"))
    .map(({ from, to }) => `${from} imports ${to}: a room stands on the platform and on other rooms`);

export const roomsMeetAtDoors: Rule = (sources) =>
  importsOf(sources)
    .filter(({ from, to }) => roomOf(to) && roomOf(to) !== roomOf(from) && !isDoor(to))
    .map(({ from, to }) => `${from} imports ${to}: only ${roomOf(to)}/index.ts is for others`);

export const doorsFormNoLoop: Rule = (sources) => {
  const next = new Map<string, Set<string>>();
  for (const { from, to } of importsOf(sources)) {
    const [a, b] = [roomOf(from), roomOf(to)];
    if (a && b && a !== b) next.set(a, (next.get(a) ?? new Set()).add(b));
  }
  const loops: string[] = [];
  const done = new Set<string>();
  const walk = (room: string, path: string[]) => {
    if (path.includes(room)) {
      loops.push(`rooms in a loop: ${[...path.slice(path.indexOf(room)), room].join(" → ")}`);
    } else if (!done.has(room)) {
      for (const one of next.get(room) ?? []) walk(one, [...path, room]);
      done.add(room);
    }
  };
  for (const room of next.keys()) walk(room, []);
  return loops;
};

/** `packages/client/src/http.ts` → `packages/client`. Everything else is the server. */
const findPackage = (path: string) => /^packages\/[^/]+/.exec(path)?.[0] ?? "the server";

/** A package works without the server. Others import it by its name, as its users do. */
export const packagesAreImportedByName: Rule = (sources) =>
  importsOf(sources)
    .filter(({ from, to }) => findPackage(from) !== findPackage(to))
    .map(({ from, to }) => `${from} imports ${to}: packages are imported by their names`);

/** What a file of a room may know of its own room. */
const blindTo: Record<string, RegExp> = {
  "contract.ts": /\/(?:routes|service|store|jobs)\.ts$/,
  "store.ts": /\/(?:routes|service|jobs)\.ts$/,
  "routes.ts": /\/store\.ts$/,
  "service.ts": /\/routes\.ts$/,
};

export const filesKeepToTheirQuestion: Rule = (sources) =>
  importsOf(sources)
    .filter(({ from, to }) => roomOf(from) && roomOf(from) === roomOf(to))
    .filter(({ from, to }) => blindTo[posix.basename(from)]?.test(to))
    .map(({ from, to }) => `${from} imports ${to}: that is not the question it answers`);

/** Who writes SQL and is no store, and why. */
const writesSql: Record<string, string> = {
  "src/platform/jobs/index.ts": "carries the statements that the job queue makes up",
};

export const sqlOnlyInStores: Rule = (sources) =>
  [...sources]
    .filter(([path]) => !path.endsWith("/store.ts") && !path.startsWith("src/platform/db/"))
    .filter(([path, text]) => !(path in writesSql) && /\bsql`|\.foreign\(/.test(code(text)))
    .map(([path]) => `${path} has SQL: it belongs into a store.ts`);

export const environmentReadOnce: Rule = (sources) =>
  [...sources]
    .filter(([path]) => !/^(?:src|packages\/[^/]+\/src)\/main\.ts$/.test(path))
    .filter(([, text]) => /process\.env\b|\bprocess\[/.test(code(text)))
    .map(([path]) => `${path} reads process.env: configuration is handed in`);

const maxLines = 400;
export const filesAreShort: Rule = (sources) =>
  [...sources]
    .map(([path, text]) => ({ path, lines: text.split("\n").length - 1 }))
    .filter(({ lines }) => lines > maxLines)
    .map(({ path, lines }) => `${path} has ${lines} lines: past ${maxLines}, split by noun`);

/** Store functions of rooms that are about no single organization or person, and why. */
const aboutNoTenant: Record<string, string> = {
  "auth/store.ts findFirstUser": "is about the instance",
  "auth/store.ts removeExpired": "tidies for everyone",
  "auth/store.ts findUserByEmail": "is about a person",
  "audit/store.ts append": "the head names the chain: an organization's, or the instance's",
  "audit/store.ts startChain": "null: the chain of the instance",
  "audit/store.ts hasEarlierUsers": "is about the instance",
  "auth/store.ts hasUsers": "is about the instance",
  "demo/store.ts isEmpty": "is about the instance",
  "demo/store.ts lockInstance": "is about the instance",
  "auth/sign-up/store.ts lockFirstAccount": "is about the instance",
  "organizations/store.ts insert": "makes the tenant",
  "system/store.ts ping": "is about the database",
  "system/store.ts serverVersion": "is about the database",
};

export const storesNameTheirTenant: Rule = (sources) =>
  [...sources]
    .filter(([path]) => path.endsWith("/store.ts"))
    .flatMap(([path, text]) =>
      exportedFunctions(text).flatMap(({ name, parameters: [first = "", second = ""] }) => {
        if (!/^(?:db|tx): Db$/.test(first)) return [`${path} ${name}: the first parameter is \`db: Db\``];
        // `…ByToken` finds the tenant. `…AcrossOrganizations` (or `…OfAll`) works for all tenants.
        if (!roomOf(path) || /(?:ByToken|OfAll|AcrossOrganizations)$/.test(name)) return [];
        if (`${path.replace("src/features/", "")} ${name}` in aboutNoTenant) return [];
        // A person has a few things of their own: their name, their sessions, the list of where they belong.
        return /^(?:orgId: OrgId|userId: UserId)$/.test(second)
          ? []
          : [`${path} ${name}: the second parameter is \`orgId: OrgId\``];
      }),
    );

/** Every exported function with its parameters, as written. */
function exportedFunctions(text: string): { name: string; parameters: string[] }[] {
  const heads = /\bexport (?:async )?(?:const (\w+) = (?:async )?(?:<[^>]*>)?|function (\w+)(?:<[^>]*>)?)\(/g;
  return [...text.matchAll(heads)].map((match) => ({
    name: match[1] ?? match[2]!,
    parameters: parametersFrom(text, match.index + match[0].length),
  }));
}

function parametersFrom(text: string, start: number): string[] {
  const parameters: string[] = [];
  let depth = 0;
  let from = start;
  for (let at = start; at < text.length; at++) {
    const letter = text[at]!;
    if (depth === 0 && (letter === "," || letter === ")")) {
      parameters.push(text.slice(from, at).trim());
      from = at + 1;
      if (letter === ")") break;
    }
    if ("([{<".includes(letter)) depth++;
    if (")]}>".includes(letter)) depth--;
  }
  return parameters.filter(Boolean);
}

export const migrationsAreNumbered = (files: readonly string[]): string[] =>
  [...files]
    .sort()
    .flatMap((file, i) =>
      /^\d{4}_[a-z0-9_]+\.sql$/.test(file) && Number(file.slice(0, 4)) === i + 1
        ? []
        : [`migrations/${file}: expected ${String(i + 1).padStart(4, "0")}_what_it_does.sql`],
    );

/** Without comments, so that they may speak of anything. */
const code = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, "");
