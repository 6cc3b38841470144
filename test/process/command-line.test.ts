import { execFile } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, test } from "vitest";
import { commands } from "../../src/commands/index.ts";
import { cleanUp, freshFolder, signalbox } from "./kit.ts";

afterAll(cleanUp);

describe.concurrent("the command line", () => {
  test("has help for itself and for each command", async ({ expect }) => {
    const names = Object.keys(commands);
    const [whole, ...each] = await Promise.all([
      signalbox(["--help"]),
      ...names.map((name) => signalbox([name, "--help"])),
    ]);
    expect(whole).toMatchObject({ code: 0, stderr: "" });
    for (const name of names) expect(whole!.stdout).toMatch(new RegExp(`^  ${name} `, "m"));
    names.forEach((name, i) => {
      expect(each[i]).toMatchObject({ code: 0, stderr: "" });
      expect(each[i]!.stdout).toMatch(new RegExp(`^Usage: signalbox ${name}`));
      expect(each[i]!.stdout).toMatch(/Examples?:/);
    });
  });

  test.for([
    [[], "Say what to do. See `signalbox --help`."],
    [["srve"], "Signalbox has no command srve. Did you mean serve? See `signalbox --help`."],
    [["toString"], "Signalbox has no command toString. See `signalbox --help`."],
    [["--nope"], "Signalbox has no option --nope. See `signalbox --help`."],
    [["mail", "--nope"], "Unknown option '--nope'. See `signalbox mail --help`."],
    [
      ["mail", "one", "two"],
      '"two" is unexpected: there are too many arguments. See `signalbox mail --help`.',
    ],
    [["serve", "--role", "boss"], "--role must be one of all, api, worker. See `signalbox serve --help`."],
    [
      ["serve", "--role", "api"],
      "--role api needs DATABASE_URL: the embedded database has one process. See `signalbox serve --help`.",
    ],
  ] as [string[], string][])(
    "%j gives one sentence and exit code 2",
    async ([args, sentence], { expect }) => {
      expect(await signalbox(args, freshFolder())).toEqual({ code: 2, stdout: "", stderr: `${sentence}\n` });
    },
  );

  test("prints its version, also when the installed Node is an old one", async ({ expect }) => {
    expect(await signalbox(["--version"])).toEqual({ code: 0, stdout: "0.1.0\n", stderr: "" });
    const bin = join(import.meta.dirname, "../../bin/signalbox.mjs");
    // npm puts the Node that the project brings along first; behind it is the machine's own.
    const path = process.env.PATH!.split(":").filter((folder) => !folder.includes("node_modules"));
    const { stdout } = await promisify(execFile)(bin, ["--version"], { env: { PATH: path.join(":") } });
    expect(stdout).toBe("0.1.0\n");
  });

  test("a command that needs an instance says that there is none, and does not create one", async ({
    expect,
  }) => {
    const dataDir = freshFolder();
    const commands = [
      ["mail"],
      ["reseal"],
      ["backup", `${dataDir}.backup`],
      ["move", "--to", "postgres://root@127.0.0.1:1/none"],
    ];
    for (const args of commands) {
      expect(await signalbox(args, dataDir)).toEqual({
        code: 1,
        stdout: "",
        stderr: `There is no Signalbox in ${dataDir} yet. Start one with \`signalbox serve\`, or name its folder with DATA_DIR.\n`,
      });
    }
    expect(existsSync(dataDir)).toBe(false);
  });

  test("openapi --check succeeds for a current file and fails for a stale one", async ({ expect }) => {
    const file = join(freshFolder(), "..", "openapi.json");
    expect(await signalbox(["openapi", "--out", file])).toEqual({ code: 0, stdout: "", stderr: "" });
    expect((await signalbox(["openapi", "--check", file])).code).toBe(0);
    writeFileSync(file, "{}");
    const stale = await signalbox(["openapi", "--check", file]);
    expect(stale.code).toBe(1);
    expect(stale.stderr).toContain("is stale");
  });
});

describe.concurrent("a wrong setting prevents the start with one sentence that names it", () => {
  const wrong: Record<string, string> = {
    HOST: "no such host",
    PORT: "http",
    PUBLIC_URL: "signalbox.example.com",
    DATABASE_URL: "mysql://localhost/x",
    DATABASE_POOL: "many",
    DATA_DIR: "/dev/null/data",
    SIGNALBOX_SECRET: "short",
    SIGNALBOX_SECRET_FILE: "/no/such/file",
    SIGNALBOX_SECRET_PREVIOUS: "short",
    EGRESS_ALLOW: "10.0.0.0/99",
    CODEHOST_WEBHOOK_SECRET: "short",
    SMTP_URL: "mail.example.com",
    MAIL_FROM: "nobody",
    ADMIN_EMAILS: "ada",
    SIGNUP: "everybody",
    BOOTSTRAP: "invited",
    LOG_LEVEL: "loud",
    LOG_FORMAT: "xml",
    CORS_ORIGINS: "example.com",
    TRUSTED_PROXIES: "everyone",
    METRICS_TOKEN: "short",
    OTEL_EXPORTER_OTLP_ENDPOINT: "localhost",
    OTEL_TRACES_SAMPLER_ARG: "2",
  };
  test.for(Object.entries(wrong))("%s=%s", async ([name, value], { expect }) => {
    const { code, stdout, stderr } = await signalbox(["serve"], freshFolder(), { [name]: value });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(new RegExp(`^${name}\\b.*\\.\n$`));
  });

  test("a database without a secret, and a database that cannot be reached", async ({ expect }) => {
    const DATABASE_URL = "postgres://signalbox:hunter2@127.0.0.1:1/signalbox";
    const bare = await signalbox(["serve"], undefined, { DATABASE_URL });
    expect(bare.code).toBe(1);
    expect(bare.stderr).toMatch(/^SIGNALBOX_SECRET must be set when DATABASE_URL is[^\n]*\n$/);
    const secret = "a secret for the tests, long enough";
    const down = await signalbox(["serve"], undefined, { DATABASE_URL, SIGNALBOX_SECRET: secret });
    expect(down).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "The database at 127.0.0.1:1 cannot be reached (ECONNREFUSED). Start it, or correct DATABASE_URL.\n",
    });
  });
});
