import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, inject, test } from "vitest";
import { version } from "../../src/platform/version.ts";
import { cleanUp, copyFolder, freePort, freshFolder, serve, signalbox } from "./kit.ts";

afterAll(cleanUp);

const root = join(import.meta.dirname, "../..");
const run = promisify(execFile);
const entries = (stderr: string) =>
  stderr
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { msg: string });

describe("the first start", () => {
  test("logs that it creates the database, only on stderr and only once", async () => {
    const dataDir = freshFolder();
    const first = await serve(dataDir);
    expect(first.output.stdout).toBe(`Signalbox is ready at ${first.url}\n`);
    await first.end("SIGTERM");
    const making = `making the embedded database in ${dataDir}; this takes some seconds, once`;
    expect(entries(first.output.stderr)[0]!.msg).toBe(making);
    const second = await serve(dataDir);
    await second.end("SIGTERM");
    expect(second.output.stderr).not.toContain("making");
  });
});

describe("a start", () => {
  test("logs where it listens, also when PUBLIC_URL is another address", async () => {
    const PORT = await freePort();
    const server = await serve(copyFolder(inject("preparedFolder")), {
      PORT,
      PUBLIC_URL: "https://signalbox.example.com",
    });
    expect(server.output.stdout).toBe("Signalbox is ready at https://signalbox.example.com\n");
    await server.end("SIGTERM");
    expect(entries(server.output.stderr).map(({ msg }) => msg)).toContain(`listening on 127.0.0.1:${PORT}`);
  });

  test("logs lines for people with LOG_FORMAT=pretty", async () => {
    const server = await serve(copyFolder(inject("preparedFolder")), { LOG_FORMAT: "pretty" });
    expect((await server.call("/v1/me")).status).toBe(401);
    await server.end("SIGTERM");
    expect(server.output.stderr).toMatch(/^\d\d:\d\d:\d\d info {2}listening on 127\.0\.0\.1:\d+\n/m);
    expect(server.output.stderr).toMatch(/^\d\d:\d\d:\d\d info {2}GET getV1Me 401 in [\d.]+ ms$/m);
  });

  test.skipIf(process.platform !== "linux")("logs lines for people on a terminal", async () => {
    const dataDir = copyFolder(inject("preparedFolder"));
    const main = join(root, "bin/signalbox.mjs");
    // `script` gives the command a terminal. The signal stops the server when it is ready.
    const command = `${process.execPath} ${main} serve & pid=$!; while ! curl -sf http://127.0.0.1:$PORT/ready >/dev/null; do sleep 0.2; done; kill $pid; wait $pid`;
    const env = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DATA_DIR: dataDir,
      PORT: await freePort(),
      TERM: "dumb",
    };
    const { stdout } = await run("script", ["-qec", command, "/dev/null"], {
      cwd: freshFolder().replace(/data$/, ""),
      env,
    });
    expect(stdout).toMatch(/\d\d:\d\d:\d\d info {2}listening on 127\.0\.0\.1:\d+\r?\n/);
    expect(stdout).not.toContain('{"level"');
  });

  test("the version is the same everywhere: package, command line, API, description", async () => {
    const server = await serve(copyFolder(inject("preparedFolder")));
    const packageJson = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
    const committed = JSON.parse(readFileSync(join(root, "openapi.json"), "utf8"));
    expect({
      package: packageJson.version,
      lock: lock.version,
      lockRoot: lock.packages[""].version,
      commandLine: (await signalbox(["--version"])).stdout.trim(),
      api: (await server.call("/version")).body.version,
      served: (await server.call("/openapi.json")).body.info["x-signalbox-version"],
      committed: committed.info["x-signalbox-version"],
    }).toEqual({
      package: version,
      lock: version,
      lockRoot: version,
      commandLine: version,
      api: version,
      served: version,
      committed: version,
    });
    await server.end("SIGTERM");
  });
});
