/** The rules of ARCHITECTURE.md. Each is a function from sources to a list of violations. */
import { posix } from "node:path";

/** Maps each path from the root, with `/`, to its text. Test files are not checked. */
export type Sources = ReadonlyMap<string, string>;
export type Rule = (sources: Sources) => string[];

interface Import {
  from: string;
  to: string;
}

const importPattern =
  /(?:^|\n)\s*(?:import|export)\b[^;"'`]*?\bfrom\s*"(\.[^"]+)"|\bimport\(\s*"(\.[^"]+)"\s*\)/g;

function listImports(sources: Sources): Import[] {
  return [...sources].flatMap(([from, text]) =>
    [...text.matchAll(importPattern)].map((match) => ({
      from,
      to: posix.join(posix.dirname(from), match[1] ?? match[2]!),
    })),
  );
}

/** `src/features/members/store.ts` → `members`. */
const findRoom = (path: string) => /^src\/features\/([^/]+)\//.exec(path)?.[1];
const isRoomIndex = (path: string) => /^src\/features\/[^/]+\/index\.ts$/.test(path);

export const platformImportsNoFeature: Rule = (sources) =>
  listImports(sources)
    .filter(({ from, to }) => from.startsWith("src/platform/") && !to.startsWith("src/platform/"))
    .filter(({ to }) => to.startsWith("src/"))
    .map(({ from, to }) => `${from} imports ${to}: the platform imports only the platform`);

export const roomsImportOnlyRoomsAndPlatform: Rule = (sources) =>
  listImports(sources)
    .filter(({ from, to }) => findRoom(from) && to.startsWith("src/"))
    .filter(({ to }) => !findRoom(to) && !to.startsWith("src/platform/"))
    .map(({ from, to }) => `${from} imports ${to}: a room imports only the platform and other rooms`);

export const roomsAreImportedByIndex: Rule = (sources) =>
  listImports(sources)
    .filter(({ from, to }) => findRoom(to) && findRoom(to) !== findRoom(from) && !isRoomIndex(to))
    .map(({ from, to }) => `${from} imports ${to}: import it from ${findRoom(to)}/index.ts`);

/** The circles of a graph, each as `a → b → a`. */
function findCircles(edges: readonly (readonly [string, string])[]): string[] {
  const next = new Map<string, Set<string>>();
  for (const [from, to] of edges) next.set(from, (next.get(from) ?? new Set()).add(to));
  const circles: string[] = [];
  const done = new Set<string>();
  const walk = (node: string, path: string[]) => {
    if (path.includes(node)) circles.push([...path.slice(path.indexOf(node)), node].join(" → "));
    else if (!done.has(node)) {
      for (const one of next.get(node) ?? []) walk(one, [...path, node]);
      done.add(node);
    }
  };
  for (const node of next.keys()) walk(node, []);
  return circles;
}

/** The imports that lead from one group of files to another. */
const listGroupEdges = (sources: Sources, findGroup: (path: string) => string | undefined) =>
  listImports(sources).flatMap(({ from, to }) => {
    const [a, b] = [findGroup(from), findGroup(to)];
    return a && b && a !== b ? [[a, b] as const] : [];
  });

export const roomsFormNoCircle: Rule = (sources) =>
  findCircles(listGroupEdges(sources, findRoom)).map((circle) => `rooms in a circle: ${circle}`);

/** `src/features/members/roles/store.ts` → `members/roles`. */
const findSubRoom = (path: string) => /^src\/features\/([^/]+\/[^/]+)\//.exec(path)?.[1];

export const subRoomsFormNoCircle: Rule = (sources) =>
  findCircles(
    listGroupEdges(sources, findSubRoom).filter(([a, b]) => a.split("/")[0] === b.split("/")[0]),
  ).map((circle) => `sub-rooms in a circle: ${circle}`);

/** The outermost folder within a room that has an index.ts and contains `to`, but not `from`. */
function findClosedFolder(sources: Sources, from: string, to: string): string | undefined {
  const parts = posix.dirname(to).split("/");
  for (let depth = 4; depth <= parts.length; depth++) {
    const folder = parts.slice(0, depth).join("/");
    if (sources.has(`${folder}/index.ts`) && !from.startsWith(`${folder}/`)) return folder;
  }
  return undefined;
}

export const subRoomsAreImportedByIndex: Rule = (sources) =>
  listImports(sources)
    .filter(({ from, to }) => findRoom(from) && findRoom(from) === findRoom(to))
    .flatMap(({ from, to }) => {
      const folder = findClosedFolder(sources, from, to);
      return folder && to !== `${folder}/index.ts`
        ? [`${from} imports ${to}: import it from ${folder}/index.ts`]
        : [];
    });

/** Also finds circles of type-only imports: they make files hard to read and to move apart. */
export const filesFormNoCircle: Rule = (sources) =>
  findCircles(
    listImports(sources)
      .filter(({ to }) => sources.has(to))
      .map(({ from, to }) => [from, to] as const),
  ).map((circle) => `files in a circle: ${circle}`);

/**
 * Words of the product that have no other meaning in the platform. `template` (literals, elements), `team` and `member`
 * have other meanings, so they are not in the list.
 */
const productWords = /connector|automation|runner|webhook|invitation|code.?host/i;

/** Files of the platform that contain a word of the product, and why. */
const productWordsElsewhere: Record<string, string> = {
  "src/platform/config.ts":
    "lists the environment variables of the whole product, so that one place checks them",
  "src/platform/context.ts": "lists the kinds of credentials that a caller can have",
  "src/platform/http/access.ts": "names the kinds of credentials in error messages",
};

export const platformHasNoProductWords: Rule = (sources) =>
  [...sources]
    .filter(([path]) => path.startsWith("src/platform/") && !(path in productWordsElsewhere))
    .flatMap(([path, text]) => {
      const word = productWords.exec(code(text))?.[0];
      return word ? [`${path} contains "${word}": the platform knows no product word`] : [];
    });

/** Variables of modules that may change, and why. */
const moduleState: Record<string, string> = {
  "src/platform/random.ts used": "random bytes belong to nobody until they are taken",
  "src/platform/ids.ts lastTime": "ids of one process must increase, whoever makes them",
  "src/platform/ids.ts counter": "ids of one process must increase, whoever makes them",
  "src/platform/db/sql.ts flatTexts": "caches texts of statements, which never change",
  "src/platform/http/reply-text.ts second": "caches the text of the current second",
  "src/platform/http/reply-text.ts date": "caches the text of the current second",
  "src/platform/sandbox/thread.ts pulled": "is the state of a worker thread, which runs one task",
  "src/platform/sandbox/thread.ts taken": "is the state of a worker thread, which runs one task",
  "src/platform/sandbox/thread.ts streams": "is the state of a worker thread, which runs one task",
  "src/features/auth/sign-in-page.ts twoFactorToken": "is a script for the browser",
  "src/features/auth/sign-in-page.ts isNew": "is a script for the browser",
  "src/features/automations/schedules/zone.ts formatters": "caches formatters of time zones",
};

const moduleVariable =
  /^(?:export )?(?:let (\w+)|const (\w+)[^=\n]*= (?:new (?:Weak)?(?:Map|Set)\b[^(\n]*\(|\[\];|\{\};))/gm;

export const modulesHaveNoState: Rule = (sources) =>
  [...sources].flatMap(([path, text]) => {
    const plain = code(text);
    return [...plain.matchAll(moduleVariable)]
      .map((match) => ({ variable: match[1], collection: match[2] }))
      .filter(({ collection }) => !collection || isWritten(plain, collection))
      .map(({ variable, collection }) => variable ?? collection!)
      .filter((name) => !(`${path} ${name}` in moduleState))
      .map((name) => `${path} ${name}: create it in the state of a room (defineState)`);
  });

const isWritten = (text: string, name: string) =>
  new RegExp(`\\b${name}(?:\\.(?:set|add|delete|clear|push|splice)\\(|\\[[^\\]\\n]*\\] = )`).test(text);

export const statesAreListed: Rule = (sources) => {
  const listed = [...sources]
    .filter(([path]) => isRoomIndex(path))
    .flatMap(([path, text]) =>
      (/\bstate: \[([^\]]*)\]/.exec(text)?.[1] ?? "")
        .split(",")
        .map((name) => `${findRoom(path)} ${name.trim().split(".").at(-1)}`),
    );
  return [...sources].flatMap(([path, text]) =>
    [...text.matchAll(/\bconst (\w+)[^=\n]*= defineState\(/g)]
      .filter((match) => !listed.includes(`${findRoom(path)} ${match[1]}`))
      .map((match) => `${path} ${match[1]}: list it in the \`state\` of the room`),
  );
};

/** `packages/client/src/http.ts` → `packages/client`. Everything else is the server. */
const findPackage = (path: string) => /^packages\/[^/]+/.exec(path)?.[0] ?? "the server";

/** A package works without the server. Others import it by its name, as its users do. */
export const packagesAreImportedByName: Rule = (sources) =>
  listImports(sources)
    .filter(({ from, to }) => findPackage(from) !== findPackage(to))
    .map(({ from, to }) => `${from} imports ${to}: packages are imported by their names`);

/** Files of the same room that a file must not import. */
const forbiddenImports: Record<string, RegExp> = {
  "contract.ts": /\/(?:routes|service|store|jobs)\.ts$/,
  "store.ts": /\/(?:routes|service|jobs)\.ts$/,
  "routes.ts": /\/store\.ts$/,
  "service.ts": /\/routes\.ts$/,
};

export const filesKeepTheirRole: Rule = (sources) =>
  listImports(sources)
    .filter(({ from, to }) => findRoom(from) && findRoom(from) === findRoom(to))
    .filter(({ from, to }) => forbiddenImports[posix.basename(from)]?.test(to))
    .map(({ from, to }) => `${from} imports ${to}: a ${posix.basename(from)} must not import it`);

/** Files with SQL that are not stores, and why. */
const sqlElsewhere: Record<string, string> = {
  "src/platform/jobs/index.ts": "passes on the statements of the job queue",
};

export const sqlOnlyInStores: Rule = (sources) =>
  [...sources]
    .filter(([path]) => !path.endsWith("/store.ts") && !path.startsWith("src/platform/db/"))
    .filter(([path, text]) => !(path in sqlElsewhere) && /\bsql`|\.queryWithDriverTypes\(/.test(code(text)))
    .map(([path]) => `${path} has SQL: move it to a store.ts`);

export const environmentIsReadOnce: Rule = (sources) =>
  [...sources]
    .filter(([path]) => !/^(?:src|packages\/[^/]+\/src)\/main\.ts$/.test(path))
    .filter(([, text]) => /process\.env\b|\bprocess\[/.test(code(text)))
    .map(([path]) => `${path} reads process.env: configuration is handed in`);

const maxLines = 400;
export const filesAreShort: Rule = (sources) =>
  [...sources]
    .map(([path, text]) => ({ path, lines: text.split("\n").length - 1 }))
    .filter(({ lines }) => lines > maxLines)
    .map(
      ({ path, lines }) => `${path} has ${lines} lines: split files of more than ${maxLines} lines by noun`,
    );

/**
 * V8 allocates a function that is written behind `object.property =` among the old objects. It stays until the next full
 * collection, with all that it refers to: a request with its body, for example. A function with a name does not.
 */
export const functionsAreNamedBeforeTheyAreAssigned: Rule = (sources) =>
  [...sources].flatMap(([path, text]) =>
    [...code(text).matchAll(assignedFunction)].map(
      ([found]) => `${path} has \`${found.trim()}\`: give the function a name, then assign it`,
    ),
  );

const assignedFunction =
  /(?<!\b(?:const|let) [^\n]*)[\w)\]](?:\.#?\w+|\[[^\]\n]+\]) (?:\?\?|\|\||&&)?= (?:async )?(?:function\b|\w+ =>|\([^()]*\)(?:: [^=\n]+)? =>)/g;

/** Store functions of rooms that do not concern a single organization or person, and why. */
const withoutOrganization: Record<string, string> = {
  "auth/store.ts findFirstAccount": "concerns the instance",
  "auth/store.ts removeExpiredSessionsAndLinks": "removes rows of all users",
  "auth/store.ts findUserByEmail": "concerns a person",
  "audit/store.ts append": "the head identifies the chain of an organization or of the instance",
  "audit/store.ts startChain": "null means the chain of the instance",
  "audit/store.ts listByScope": "the scope is an organization or the chain of the instance",
  "audit/store.ts hasEarlierUsers": "concerns the instance",
  "auth/store.ts hasUsers": "concerns the instance",
  "demo/store.ts isEmpty": "concerns the instance",
  "demo/store.ts lockInstance": "concerns the instance",
  "demo/store.ts forgetFirstAccount": "concerns the instance",
  "demo/store.ts reopenUsageDays": "concerns the instance",
  "demo/store.ts forgetOutages": "concerns the instance",
  "auth/sign-up/store.ts lockFirstAccount": "concerns the instance",
  "organizations/store.ts insert": "creates the organization",
  "system/store.ts ping": "concerns the database",
  "system/store.ts serverVersion": "concerns the database",
};

export const storeFunctionsTakeOrganization: Rule = (sources) =>
  [...sources]
    .filter(([path]) => path.endsWith("/store.ts"))
    .flatMap(([path, text]) =>
      listExportedFunctions(text).flatMap(({ name, parameters: [first = "", second = ""], returns }) => {
        // A part of a statement. The functions that run the statement are checked.
        if (returns === "Sql") return [];
        if (!/^(?:db|tx): Db$/.test(first)) return [`${path} ${name}: the first parameter is \`db: Db\``];
        // `…ByToken` finds the organization. `…AcrossOrganizations` (or `…OfAll`) works for all of them.
        if (!findRoom(path) || /(?:ByToken|OfAll|AcrossOrganizations)$/.test(name)) return [];
        if (`${path.replace("src/features/", "")} ${name}` in withoutOrganization) return [];
        // Names, sessions and the list of memberships belong to a person.
        return /^(?:orgId: OrgId|userId: UserId)$/.test(second)
          ? []
          : [`${path} ${name}: the second parameter is \`orgId: OrgId\``];
      }),
    );

interface ExportedFunction {
  name: string;
  parameters: string[];
  /** The declared type of its result. */
  returns: string | undefined;
}

/** Every exported function with the text of its parameters. */
function listExportedFunctions(text: string): ExportedFunction[] {
  const heads = /\bexport (?:async )?(?:const (\w+) = (?:async )?(?:<[^>]*>)?|function (\w+)(?:<[^>]*>)?)\(/g;
  return [...text.matchAll(heads)].map((match) => ({
    name: match[1] ?? match[2]!,
    ...readSignature(text, match.index + match[0].length),
  }));
}

function readSignature(text: string, start: number): Pick<ExportedFunction, "parameters" | "returns"> {
  const parameters: string[] = [];
  let depth = 0;
  let from = start;
  // After the loop, `from` is behind the last parenthesis.
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
  const returns = /^: (\w+) (?:=>|\{)/.exec(text.slice(from, from + 100))?.[1];
  return { parameters: parameters.filter(Boolean), returns };
}

export const migrationsAreNumbered = (files: readonly string[]): string[] =>
  [...files]
    .sort()
    .flatMap((file, i) =>
      /^\d{4}_[a-z0-9_]+\.sql$/.test(file) && Number(file.slice(0, 4)) === i + 1
        ? []
        : [`migrations/${file}: expected ${String(i + 1).padStart(4, "0")}_what_it_does.sql`],
    );

/** Removes comments, which may contain anything. */
const code = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, "");
