import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toItem } from "../items.ts";
import { JsonTextError, parseJsonText } from "./json-text.ts";
import { FileError, parseDocument, parseFile } from "./parse.ts";
import { fillTemplate, listPlaceholders, parseTemplate, showTemplate } from "./templates.ts";

const folder = join(import.meta.dirname, "../../../../../test/fixtures/mcp-clients");
const load = (name: string) => readFileSync(join(folder, name), "utf8");
const preview = (name: string) => {
  const { format, servers } = parseFile(load(name));
  return { format, items: servers.map(toItem) };
};
/** The items in short: name, address, header names, missing values, code of the problem. */
const shorten = (name: string) => {
  const { format, items } = preview(name);
  return [
    format,
    ...items.map(({ key, url, headers, missing, problem }) =>
      [
        ...[key, url ?? problem?.code, headers.join("+")],
        missing.map((one) => `${one.name}${one.secret ? "*" : ""}${one.optional ? "?" : ""}`).join("+"),
      ].join(" | "),
    ),
  ];
};

describe("files of clients", () => {
  test("Claude Desktop: mcp-remote is the server behind it, other commands are local", () => {
    expect(shorten("claude-desktop.json")).toEqual([
      "mcp_servers",
      "filesystem | local_command |  | ",
      "tracker | https://mcp.tracker.example.com/sse | Authorization+X-Region | ",
      "wiki | https://mcp.wiki.example.com/mcp |  | ",
    ]);
  });

  test("Claude Code: headers, placeholders with defaults, and the servers of each project", () => {
    expect(shorten("claude-code.json")).toEqual([
      "mcp_servers",
      "issues | https://api.issues.example.com/mcp | Authorization+X-Team | ISSUES_TOKEN*+ISSUES_TEAM*?",
      "events | https://mcp.events.example.com/sse | X-API-Key | ",
      "crm | {CRM_BASE}/mcp |  | CRM_BASE?",
      "helper | https://helper.example.com/mcp |  | ",
      "issues (2) | https://issues.internal.example.com/mcp |  | ",
      "local | local_command |  | ",
    ]);
    const { items } = preview("claude-code.json");
    expect(items[2]?.notes.join()).toMatch(/OAuth client/);
    expect(items[3]?.notes.join()).toMatch(/command that makes headers/);
  });

  test.each([
    [
      "cursor.json",
      [
        "mcp_servers",
        "docs | https://mcp.docs.example.com/mcp |  | ",
        "search | https://mcp.search.example.com/mcp | Authorization | SEARCH_TOKEN*",
        "sales | https://mcp.sales.example.com/mcp |  | ",
      ],
    ],
    [
      "vscode.txt",
      [
        "vscode",
        "tickets | https://{tenant}.tickets.example.com/mcp | X-Api-Key | tenant+tickets-key*",
        "browser | local_command |  | ",
      ],
    ],
    [
      "windsurf.json",
      [
        "mcp_servers",
        "deploys | https://mcp.deploys.example.com/mcp | Authorization | DEPLOYS_TOKEN*",
        "old | https://mcp.old.example.com/sse |  | ",
      ],
    ],
    [
      "zed.txt",
      [
        "zed",
        "remote-mcp-server | https://mcp.zed.example.com/mcp | Authorization | token*",
        "with-oauth | https://oauth.zed.example.com/mcp |  | ",
        "extension | no_url |  | ",
        "local | local_command |  | ",
      ],
    ],
    [
      "gemini-cli.json",
      [
        "mcp_servers",
        "warehouse | https://mcp.warehouse.example.com/mcp | Authorization | WAREHOUSE_TOKEN*",
        "stream | https://mcp.stream.example.com/sse |  | ",
      ],
    ],
    [
      "codex.json",
      [
        "mcp_servers",
        "design | https://mcp.design.example.com/mcp | Authorization | DESIGN_TOKEN*",
        "metrics | https://mcp.metrics.example.com/mcp | X-Org+X-Key | METRICS_KEY*",
      ],
    ],
    [
      "lm-studio.json",
      ["mcp_servers", "models | https://models.example.com/mcp | Authorization | YOUR_MODELS_TOKEN*"],
    ],
    [
      "opencode.txt",
      [
        "opencode",
        "calendar | https://mcp.calendar.example.com/mcp | Authorization | CALENDAR_KEY*",
        "local | local_command |  | ",
      ],
    ],
    [
      "server.json",
      [
        "registry_server",
        "ACME Analytics | https://{tenant}.analytics.example.com/mcp | X-API-Key+Authorization+X-Region | tenant?+X-API-Key*+access_token*+X-Region?",
      ],
    ],
    [
      "registry-list.json",
      [
        "registry_list",
        "com.example/notes | https://notes.example.com/mcp |  | ",
        "io.github.example/files | local_package |  | ",
      ],
    ],
    [
      "registry-server-reply.json",
      ["registry_server", "com.example/old-events | https://events.example.com/sse |  | "],
    ],
  ])("%s", (name, expected) => {
    expect(shorten(name)).toEqual(expected);
  });

  test("descriptions of a file are shown, secrets of a file are not", () => {
    const [tickets] = preview("vscode.txt").items;
    expect(tickets?.missing).toContainEqual({
      ...{ name: "tickets-key", description: "Key of the ticket system", secret: true, optional: false },
    });
    const [server] = preview("server.json").items;
    expect(server?.missing[0]?.description).toBe("Your tenant One of: eu, us.");
    for (const name of ["claude-desktop.json", "claude-code.json", "cursor.json"]) {
      expect(load(name)).toContain("literal-");
      expect(JSON.stringify(preview(name))).not.toContain("literal-");
    }
  });

  test("a variable that the entry sets itself is not missing", () => {
    const tracker = parseFile(load("claude-desktop.json")).servers[1];
    const value = tracker?.headers[0]?.value ?? [];
    expect(fillTemplate(value, {})).toBe("Bearer literal-desktop-secret");
  });

  test("settings of VS Code, both forms of OpenCode, and a part without the key around it are read", () => {
    const entry = { url: "https://mcp.example.com/mcp" };
    expect(parseDocument({ mcp: { servers: { a: { type: "http", ...entry } } } }).format).toBe("vscode");
    expect(parseDocument({ mcp: { servers: { a: { type: "remote", ...entry } } } }).format).toBe("opencode");
    expect(parseDocument({ mcp: { a: entry } }).format).toBe("opencode");
    expect(parseDocument({ a: entry, b: entry }).servers.map(({ key }) => key)).toEqual(["a", "b"]);
  });

  test.each([
    ["an address with a password", { url: "https://ada:secret@mcp.example.com/" }, "invalid_url"],
    ["an address with a token", { url: "https://mcp.example.com/?token=secret" }, "invalid_url"],
    ["another scheme", { url: "ftp://mcp.example.com/" }, "invalid_url"],
    ["a scheme that is not http before a placeholder", { url: "ftp://{host}/" }, "invalid_url"],
    ["a WebSocket", { type: "ws", url: "https://mcp.example.com/" }, "unsupported_transport"],
    [
      "a header that is an object",
      { url: "https://mcp.example.com/", headers: { a: { b: 1 } } },
      "invalid_entry",
    ],
    [
      "a header name with a line break",
      { url: "https://mcp.example.com/", headers: { "a\nb": "1" } },
      "invalid_entry",
    ],
    ["a text instead of an entry", "https://mcp.example.com/", "invalid_entry"],
    ["nothing", {}, "no_url"],
    ["mcp-remote without an address", { command: "npx", args: ["mcp-remote"] }, "local_command"],
    [
      "another program with the words of mcp-remote",
      { command: "sh", args: ["-c", "mcp-remote https://x.example.com"] },
      "local_command",
    ],
  ])("%s is a problem of this entry alone, without its secret", (_, entry, code) => {
    const { servers } = parseDocument({
      mcpServers: { bad: entry, good: { url: "https://mcp.example.com/mcp" } },
    });
    const items = servers.map(toItem);
    expect(items.map(({ problem }) => problem?.code ?? null)).toEqual([code, null]);
    expect(JSON.stringify(items)).not.toContain("secret");
  });

  test.each([
    ["{", "Line 1, column 2"],
    ['{\n  "mcpServers": {\n    "a": { "url": "x" }\n    "b": {}\n  }\n}', "Line 4, column 5"],
    ['{"mcpServers": {"a": {}, "a": {}}}', 'The key "a" occurs twice'],
    ['{"mcpServers": /* never closed', "The comment does not end"],
    ["\u{1f600}", "Expected a value, found"],
    ["[mcp_servers.docs]\nurl = 1", "TOML"],
    ["[1]", "must be a JSON object"],
    ["{}", "has no MCP servers"],
    ['{"mcpServers": {}}', "is empty"],
    ["[".repeat(100_000), "More than 64 levels"],
    [`{"mcpServers": {}, "x": "${"é".repeat(600_000)}"}`, "larger than 1 MiB"],
  ])("%.40s is refused with a message that helps", (text, message) => {
    expect(() => parseFile(text)).toThrow(FileError);
    expect(() => parseFile(text)).toThrow(message);
  });

  test("201 servers are refused with their number, 200 are read", () => {
    const entries = (count: number) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, i) => [`s${i}`, { url: `https://s${i}.example/` }]),
      );
    expect(parseDocument({ mcpServers: entries(200) }).servers).toHaveLength(200);
    expect(() => parseDocument({ mcpServers: entries(201) })).toThrow("201 servers");
  });
});

const headerText = fc.stringMatching(/^[!-~]{1,40}$/);

describe("properties", () => {
  test("JSON text is read like JSON.parse does, whatever comments and trailing commas are added", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.boolean(), (value, spaced) => {
        const text = JSON.stringify(value, null, spaced ? 2 : 0);
        expect(parseJsonText(text)).toEqual(JSON.parse(text));
        const commented = `// first, "\n/* {[ */ ${text} // last`;
        expect(parseJsonText(commented)).toEqual(JSON.parse(text));
        if (spaced) {
          const trailing = text.replaceAll(/(?<=[^[{,])\n(\s*[}\]])/g, ",\n// x\n$1");
          expect(parseJsonText(trailing)).toEqual(JSON.parse(text));
        }
      }),
    );
  });

  test("a text that is not JSON is refused as such, never in another way", () => {
    const pieces = fc.array(
      fc.oneof(
        fc.constantFrom("{", "}", "[", "]", ",", ":", '"', "\\", "//", "/*", "1e", "nul"),
        fc.string(),
      ),
    );
    fc.assert(
      fc.property(pieces, (parts) => {
        const text = parts.join("");
        try {
          parseJsonText(text);
        } catch (error) {
          expect(error).toBeInstanceOf(JsonTextError);
          expect(() => JSON.parse(text)).toThrow();
        }
      }),
    );
  });

  test("every entry of a file is in the preview once, whatever it contains", () => {
    const entry = fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          url: fc.oneof(fc.webUrl(), fc.string()),
          type: fc.oneof(fc.constantFrom("http", "sse", "stdio"), fc.string()),
          command: fc.oneof(fc.string(), fc.array(fc.string())),
          args: fc.array(fc.string()),
          headers: fc.oneof(fc.dictionary(fc.string(), fc.string()), fc.jsonValue()),
        },
        { requiredKeys: [] },
      ),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), entry, { minKeys: 1, maxKeys: 8 }), (mcpServers) => {
        const { servers } = parseDocument({ mcpServers });
        expect(servers).toHaveLength(Object.keys(mcpServers).length);
        expect(new Set(servers.map(({ key }) => key)).size).toBe(servers.length);
        for (const item of servers.map(toItem)) {
          expect(item.name.length).toBeGreaterThan(0);
          expect(item.name.length).toBeLessThanOrEqual(80);
          expect(item.url === null).toBe(item.problem !== null);
        }
      }),
      { numRuns: 50 },
    );
  });

  test("a document of any form is read or refused with FileError", () => {
    const keys = fc.constantFrom("mcpServers", "servers", "context_servers", "mcp", "projects", "remotes");
    fc.assert(
      fc.property(fc.dictionary(keys, fc.jsonValue()), (document) => {
        try {
          expect(parseDocument(document).servers.length).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toBeInstanceOf(FileError);
        }
      }),
    );
  });

  test("values of headers are never in a preview", () => {
    fc.assert(
      fc.property(headerText, fc.stringMatching(/^[A-Za-z0-9]{1,10}$/), (value, suffix) => {
        const secret = `s3cret${value}${suffix}`;
        const { servers } = parseDocument({
          mcpServers: { a: { url: "https://mcp.example.com/mcp", headers: { "X-Key": secret } } },
        });
        expect(JSON.stringify(servers.map(toItem))).not.toContain("s3cret");
      }),
    );
  });

  test("a template without placeholders is its text, and filling leaves no placeholder", () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom("url", "header", "registry"), (text, syntax) => {
        const template = parseTemplate(text, syntax);
        const names = listPlaceholders([template]).map(({ name }) => name);
        if (names.length === 0) {
          expect(fillTemplate(template, {})).toBe(text);
          expect(showTemplate(template)).toBe(text);
        } else {
          const values = Object.fromEntries(names.map((name) => [name, "v"]));
          expect(fillTemplate(template, values)).toBeTypeOf("string");
        }
      }),
    );
    expect(parseTemplate(`Bearer \${A} \${env:B} \${input:c-d} \${E:-f} {env:G}`, "header")).toEqual([
      ...["Bearer ", { name: "A" }, " ", { name: "B" }, " ", { name: "c-d" }, " "],
      ...[{ name: "E", fallback: "f" }, " ", { name: "G" }],
    ]);
  });
});
