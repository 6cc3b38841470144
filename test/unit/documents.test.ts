/** What the documents name exists: commands, options, routes, variables, files, links. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { commands } from "../../src/commands/index.ts";
import { readConfig } from "../../src/platform/config.ts";
import { runCommandInProcess } from "../cli.ts";
import { documents as guides, readBlocks } from "../process/documents/blocks.ts";

const root = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const documents = [...guides, "ARCHITECTURE.md", "SECURITY.md"];

/** Everything in a document that is set as code, and its line. */
function readCode(file: string): { place: string; code: string }[] {
  let isBlock = false;
  return read(file)
    .split("\n")
    .flatMap((line, i) => {
      const place = `${file}:${i + 1}`;
      if (line.startsWith("```")) {
        isBlock = !isBlock;
        return [];
      }
      if (isBlock) return [{ place, code: line }];
      return [...line.matchAll(/(?<!`)`([^`]+)`/g)].map(([, code]) => ({
        place,
        code: code!.replaceAll("\\|", "|"),
      }));
    });
}
const code = documents.flatMap(readCode);

/** Names in the documents that belong to other programs. */
const otherPrograms: Record<string, string> = {
  "/v1/traces": "a route of OpenTelemetry collectors",
  POSTGRES_PASSWORD: "of compose.yaml",
  WEBHOOK_SECRET: "of the example of a receiver",
  CREDENTIALS_DIRECTORY: "set by systemd",
  STATE_DIRECTORY: "set by systemd",
  CLAUDE_CODE_ENABLE_TELEMETRY: "of Claude Code",
  OTEL_METRICS_EXPORTER: "of OpenTelemetry SDKs",
  OTEL_LOGS_EXPORTER: "of OpenTelemetry SDKs",
  TRACELOOP_BASE_URL: "of OpenLLMetry",
  TRACELOOP_HEADERS: "of OpenLLMetry",
};

test("the listed names of other programs are in the documents", () => {
  const isUnused = (name: string) => !code.some((one) => one.code.includes(name));
  expect(Object.keys(otherPrograms).filter(isUnused)).toEqual([]);
});

test("no document has the marks of an unfinished merge", () => {
  expect(documents.filter((file) => /^(<{7}|={7}|>{7})( |$)/m.test(read(file)))).toEqual([]);
});

test("entries of the changelog are in groups, of which the upgrade notes are the first", () => {
  const order = ["Upgrade notes", "Security", "Added", "Changed", "Fixed"];
  const [, newest] = read("CHANGELOG.md").split(/^## /m);
  const [top, ...groups] = newest!.split(/^### /m);
  expect(top).not.toMatch(/^- /m);
  const names = groups.map((group) => group.split("\n")[0]!);
  expect(names).toEqual(order.filter((name) => names.includes(name)));
});

describe("the command line", () => {
  const help: Record<string, string> = {};
  beforeAll(async () => {
    for (const name of Object.keys(commands))
      help[name] = (await runCommandInProcess([name, "--help"], {})).stdout;
  });

  /** Commands whose first word says what to do, such as `runs list`. */
  const withParts = ["automations", "runs", "templates", "connections", "audit", "two-factor"];
  const hasWord = (text: string, word: string) => new RegExp(`(?<![\\w-])${word}(?![\\w-])`).test(text);

  test("has every command and option that the documents name", () => {
    const wrong = code.flatMap(({ place, code: text }) =>
      [...text.matchAll(/(?:^|[\s(])signalbox ([a-z][a-z-]+)([^|;&#]*)/g)].flatMap(([, name, rest]) => {
        if (name === "help") return [];
        if (!help[name!]) return [`${place}: signalbox ${name}`];
        // What follows ` -- ` belongs to the program of a runner.
        const own = rest!.split(" -- ")[0]!.replace(/'[^']*'?|"[^"]*"/g, "");
        const options = [...own.matchAll(/(?<=\s)--[a-z][a-z-]*/g)].map(([option]) => option);
        const part = withParts.includes(name!) ? (/^ ([a-z]+)/.exec(own)?.[1] ?? []) : [];
        return [part, options]
          .flat()
          .filter((word) => word !== "--help" && !hasWord(help[name!]!, word))
          .map((word) => `${place}: signalbox ${name} ${word}`);
      }),
    );
    expect(wrong).toEqual([]);
  });

  test("has every option that its guides name without a command", () => {
    const all = Object.values(help).join("\n");
    const wrong = code.filter(
      ({ place, code: text }) =>
        /^docs\/(cli|runner|discovery|audit)\.md/.test(place) &&
        /^--[a-z]/.test(text) &&
        !hasWord(all, /^--[a-z-]+/.exec(text)![0]),
    );
    expect(wrong).toEqual([]);
  });

  test("has every command in docs/cli.md", () => {
    const page = read("docs/cli.md");
    expect(Object.keys(commands).filter((name) => !page.includes(`\`${name}`))).toEqual([]);
  });
});

describe("routes", () => {
  const { paths } = JSON.parse(read("openapi.json")) as { paths: Record<string, object> };
  const known = Object.entries(paths).map(([path, methods]) => ({
    parts: path.split("/"),
    methods: Object.keys(methods).map((method) => method.toUpperCase()),
  }));
  const isParameter = (part: string) => /^\{.*\}$|…|^\$/.test(part);
  const find = (path: string) => {
    const parts = path.split("/");
    return known.filter(
      (one) =>
        one.parts.length === parts.length &&
        one.parts.every((part, i) => part === parts[i] || (part.startsWith("{") && parts[i] !== "")),
    );
  };

  test("that the documents name are in the API description, with their methods", () => {
    const wrong = code.flatMap(({ place, code: text }) =>
      [...text.matchAll(/((?:[A-Z]{3,6}\|?)+ )?(\/(?:v1|otlp\/v1|api\/auth)\/[\w{}…/$.-]*)/g)].flatMap(
        ([, verbs, written]) => {
          const path = written!.replace(/[/.]$/, "");
          if (otherPrograms[path] || isParameter(path.split("/")[2]!)) return [];
          const found = find(path);
          if (found.length === 0) return [`${place}: ${path}`];
          const methods = found.flatMap((one) => one.methods);
          return (verbs?.trim().split("|") ?? [])
            .filter((verb) => !methods.includes(verb))
            .map((verb) => `${place}: ${verb} ${path}`);
        },
      ),
    );
    expect(wrong).toEqual([]);
  });
});

describe("variables", () => {
  const config = [...read("src/platform/config.ts").matchAll(/^ {2}([A-Z][A-Z0-9_]+): /gm)].map(
    ([, name]) => name!,
  );

  test("of the configuration are all in docs/configuration.md", () => {
    expect(config.length).toBeGreaterThan(20);
    const page = read("docs/configuration.md");
    expect(config.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
  });

  test("that docs/configuration.md lists are all of the configuration", () => {
    const listed = [...read("docs/configuration.md").matchAll(/^\| `([A-Z][A-Z0-9_]+)` \|/gm)];
    expect(listed.map(([, name]) => name).filter((name) => !config.includes(name!))).toEqual([]);
  });

  test("that the documents name are read by the program", () => {
    const source = ["src", "packages/*/src", "test", "bench", "bin"]
      .flatMap((folder) => globSync(`${folder}/**/*.{ts,mjs}`, { cwd: root }))
      .filter((file) => !file.endsWith("unit/documents.test.ts"))
      .map(read)
      .join("\n");
    const words = new Set(source.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g));
    const wrong = code.flatMap(({ place, code: text }) =>
      (text.match(/(?<![\w$"'%-])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g) ?? [])
        .filter((name) => !words.has(name) && !otherPrograms[name])
        .map((name) => `${place}: ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  const settings = guides
    .flatMap(readBlocks)
    .filter(({ language, text }) => language === "sh" && /^[A-Z_]+=\S.*$/.test(text.trim()));
  test.each(settings.map(({ place, text }) => [place, text.trim()]))("%s is a valid setting", (_, text) => {
    const [, name, value] = /^([A-Z_]+)="?([^"]*)"?$/.exec(text)!;
    expect(() => readConfig({ [name!]: value })).not.toThrow();
  });
});

test("blocks of JSON are JSON", () => {
  const wrong = guides
    .flatMap(readBlocks)
    .filter(({ language }) => language === "json")
    .filter(({ text }) => {
      try {
        // Outside of a text, … stands for something left out.
        JSON.parse(text.replace(/("(?:[^"\\]|\\.)*")|,?\s*…/g, (_, kept?: string) => kept ?? ""));
        return false;
      } catch {
        return true;
      }
    });
  expect(wrong.map(({ place }) => place)).toEqual([]);
});

test("npm scripts that the documents name exist", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const wrong = code.flatMap(({ place, code: text }) =>
    [...text.matchAll(/\bnpm run ([\w:-]+)/g)]
      .filter(([, name]) => !scripts[name!])
      .map(([found]) => `${place}: ${found}`),
  );
  expect(wrong).toEqual([]);
});

test("benchmarks that the documents name exist", () => {
  const wrong = code.flatMap(({ place, code: text }) =>
    [...text.matchAll(/\bnpm run bench -- ([a-z]+)/g)]
      .filter(([, name]) => !existsSync(join(root, `bench/${name}.ts`)))
      .map(([found]) => `${place}: ${found}`),
  );
  expect(wrong).toEqual([]);
});

test("source files and folders that the documents name exist", () => {
  const top = ["src", "packages", "test", "bench", "docs", "migrations", "bin", "console", ".github"];
  const files = top
    .flatMap((folder) => globSync(`${folder}/**/*`, { cwd: root }))
    .filter((file) => !file.includes("node_modules"));
  const isFull = new RegExp(`^(${top.join("|").replace(".", "\\.")})/`);
  // A page about rooms may leave out the folders above, such as in `platform/http`.
  const exists = (named: string) =>
    isFull.test(named)
      ? globSync(named, { cwd: root }).length > 0
      : files.some((file) => file.endsWith(`/${named}`));
  const wrong = code.flatMap(({ place, code: text }) => {
    const named = /^(?:node )?([\w.-]+(?:\/[\w.*-]+)+\/?)(?:\s|$)/.exec(text)?.[1]?.replace(/\/$/, "");
    const isPath = named && (isFull.test(named) || /\.(ts|mjs)$|^(platform|features)\//.test(named));
    return isPath && !exists(named) ? [`${place}: ${named}`] : [];
  });
  expect(wrong).toEqual([]);
});

describe("links", () => {
  const anchors = (file: string) =>
    read(file)
      .replace(/^```.*?^```/gms, "")
      .match(/^#+ .*$/gm)!
      .map((heading) =>
        heading
          .replace(/^#+ /, "")
          .toLowerCase()
          .replace(/[^\p{L}\p{N}\s_-]/gu, "")
          .replaceAll(" ", "-"),
      );

  test.each(documents)("of %s lead to a file and a heading", (file) => {
    const targets = [...read(file).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
    const wrong = targets.filter((target) => {
      // The server answers /docs.
      if (/^https?:|^\/docs(?:\/reference)?$/.test(target)) return false;
      const [path, anchor] = target.split("#") as [string, string?];
      const to = path ? join(dirname(file), path) : file;
      if (!existsSync(join(root, to))) return true;
      return anchor !== undefined && !anchors(to).includes(anchor);
    });
    expect(wrong).toEqual([]);
  });
});
