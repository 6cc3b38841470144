import { UsageError } from "@signalbox/command-line";
import { describe, expect, test } from "vitest";
import { type CommandIo, runRunnerCommand, withoutSecrets } from "./command.ts";

const key = "sbx_nobodyknowsthiskey00000000000000";
const typed = (args: string[], environment = {}) =>
  runRunnerCommand(args, {
    program: "signalbox runner",
    environment: { PATH: "/usr/bin:/bin", HOME: "/no/such", ...environment },
  } as unknown as CommandIo).catch((error) => error);

describe("signalbox runner with invalid arguments", () => {
  test.for([
    [["--key", "secret", "--", "true"], "That is not an API key of Signalbox: API keys begin with sbx_."],
    [["--key", key], "Say what to run: signalbox runner -- <program> [arguments]."],
    [["--key", key, "--command", "ls", "--", "ls"], "Say what to run once: with --command, or after --."],
    [
      ["--key", key, "--concurrency", "17", "--", "true"],
      "--concurrency must be a whole number from 1 to 16.",
    ],
    [
      ["--key", key, "--concurrency", "0", "--", "true"],
      "--concurrency must be a whole number from 1 to 16.",
    ],
    [["--key", key, "--serves", "all", "--", "true"], "--serves must be own or organization."],
    [["--key", key, "--runner-id", "short", "--", "true"], "--runner-id must have 8 to 160 characters."],
    [["--key", key, "--name", "x".repeat(161), "--", "true"], "--runner-id must have 8 to 160 characters."],
    ...["signalbox.example.com", "ftp://a.example", "https://a.example/console", "https://u:p@a.example"].map(
      (url) => [
        ["--key", key, "--url", url, "--", "true"],
        "The URL must be the origin of a server, such as https://signalbox.example.com.",
      ],
    ),
  ] as [string[], string][])("%j is explained in one sentence", async ([args, sentence]) => {
    const error = await typed(args);
    expect(error).toBeInstanceOf(UsageError);
    expect(error.message).toBe(sentence);
  });

  test("a missing program, folder or key file is reported before anything starts", async () => {
    const environment = { SIGNALBOX_API_KEY: key };
    expect((await typed(["--", "no-such-program"], environment)).message).toBe(
      "no-such-program cannot be run: it is not there, or not executable.",
    );
    expect((await typed(["--workdir", "/no/such", "--", "true"], environment)).message).toMatch(
      /^\/no\/such is not a folder/,
    );
    for (const error of [
      await typed(["--key-file", "/no/such", "--", "true"]),
      await typed(["--", "true"], { SIGNALBOX_API_KEY_FILE: "/no/such" }),
      // SIGNALBOX_API_KEY_FILE takes precedence over SIGNALBOX_API_KEY.
      await typed(["--", "true"], { SIGNALBOX_API_KEY_FILE: "/no/such", SIGNALBOX_API_KEY: key }),
    ])
      expect(error.message).toMatch(/^The API key cannot be read: ENOENT/);
    expect((await typed(["--", "true"])).message).toBe(
      "You are not signed in. Run `signalbox login`, or set SIGNALBOX_API_KEY.",
    );
  });
});

test("a program inherits no secret of the runner, and not the key under any name", () => {
  const harmless = { PATH: "/bin", LANG: "C", OTHER_KEY: "sbx_other" };
  const secrets = {
    SIGNALBOX_API_KEY: key,
    SIGNALBOX_SECRET: "s",
    DATABASE_URL: "d",
    MY_KEY: key,
    HEADERS: `x-api-key: ${key}`,
  };
  expect(withoutSecrets({ ...harmless, ...secrets }, key)).toEqual(harmless);
});
