import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, inject, test } from "vitest";
import { isLocked } from "../../src/platform/control.ts";
import { findLockHolder } from "../../src/platform/db/index.ts";
import {
  ada,
  adaSignIn,
  cleanUp,
  copyFolder,
  freshFolder,
  killAll,
  launch,
  serve,
  signalbox,
} from "./kit.ts";

afterEach(cleanUp);
const prepared = () => copyFolder(inject("preparedFolder"));

describe("starting", () => {
  test("the first start creates the folder for its owner only, and a second start finds its data", async () => {
    const dataDir = freshFolder();
    const first = await serve(dataDir);
    expect(first.output.stdout).toBe(`Signalbox is ready at ${first.url}\n`);
    expect(new URL(first.url).port).toMatch(/^[1-9]\d+$/);
    expect((await first.call("/ready")).body.status).toBe("ready");
    expect((await first.call("/api/auth/sign-up/email", { body: ada })).status).toBe(200);
    for (const [file, mode] of [
      ["", 0o700],
      ["secret", 0o600],
      ["control.sock", 0o600],
    ] as const)
      expect(statSync(join(dataDir, file)).mode & 0o777).toBe(mode);
    expect(await first.end("SIGINT")).toBe(0);
    expect(existsSync(join(dataDir, "control.sock"))).toBe(false);

    const second = await serve(dataDir);
    expect((await second.call("/api/auth/sign-in/email", { body: adaSignIn })).status).toBe(200);
    expect(await second.end("SIGTERM")).toBe(0);
  });

  test("a kill during the first start does not prevent the next start", async () => {
    const dataDir = freshFolder();
    const started = serve(dataDir).catch(() => {});
    await expect.poll(() => existsSync(join(dataDir, "pg", "base")), { timeout: 50_000 }).toBe(true);
    await killAll();
    await started;
    const server = await serve(dataDir);
    expect((await server.call("/ready")).status).toBe(200);
  });

  test("after kill -9 the next start has every acknowledged change, and accepts commands", async () => {
    const dataDir = prepared();
    const server = await serve(dataDir);
    expect((await server.call("/api/auth/sign-up/email", { body: ada })).status).toBe(200);
    expect(await server.end("SIGKILL")).toBe("SIGKILL");
    expect(existsSync(join(dataDir, "control.sock"))).toBe(true);

    const next = await serve(dataDir);
    expect((await next.call("/api/auth/sign-in/email", { body: adaSignIn })).status).toBe(200);
    expect((await signalbox(["mail"], dataDir)).stdout).toContain(ada.email);
  });

  test("a second process on the same folder is refused with one sentence", async () => {
    const dataDir = prepared();
    const server = await serve(dataDir);
    const second = await signalbox(["serve"], dataDir);
    expect(second.code).toBe(1);
    expect(second.stdout).toBe("");
    expect(second.stderr).toBe(
      `${dataDir} is in use by another Signalbox (process ${server.pid}). ` +
        "Stop that one, or choose another folder with DATA_DIR.\n",
    );
    expect((await server.call("/ready")).status).toBe(200);
  });

  test("a port that is in use is reported in one sentence", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as { port: number };
    const { code, stderr } = await signalbox(["serve"], freshFolder(), { PORT: String(port) });
    other.close();
    expect(code).toBe(1);
    expect(stderr).toBe(
      `Port ${port} of 127.0.0.1 is in use. Stop the other program, or choose another port with PORT (0 takes a free one).\n`,
    );
  });
});

describe("stopping", () => {
  test.each(["SIGTERM", "SIGINT"] as const)(
    "%s lets active requests finish, accepts no new ones, and exits with 0",
    async (signal) => {
      const server = await serve(prepared());
      const slow = startSlowSignUp(server.url);
      await slow.begun;
      server.send(signal);
      await expect.poll(() => fetch(`${server.url}/health`).catch(() => "refused")).toBe("refused");
      expect(await slow.finish()).toBe(200);
      expect(await server.ended).toBe(0);
    },
  );

  test("a second signal ends the process at once, even with active requests", async () => {
    const server = await serve(prepared());
    const slow = startSlowSignUp(server.url);
    await slow.begun;
    server.send("SIGTERM");
    await expect.poll(() => fetch(`${server.url}/health`).catch(() => "refused")).toBe("refused");
    // The same key press can arrive twice; a second one comes later.
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(await server.end("SIGTERM")).toBe(143);
    await expect(slow.finish()).rejects.toThrow();
  });

  test("a signal during the start ends a service whose log nobody reads after the first line", async () => {
    const { child, ended } = launch(["serve"], freshFolder(), {});
    await once(child.stderr, "data");
    child.stderr.destroy();
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  });

  const script = "/usr/bin/script";
  const hasTerminals = process.platform === "linux" && existsSync(script);
  test.skipIf(!hasTerminals)("a terminal that is closed ends the service", async () => {
    const dataDir = prepared();
    const program = join(import.meta.dirname, "../../bin/signalbox.mjs");
    const terminal = spawn(script, ["-qfc", `exec ${process.execPath} ${program} serve`, "/dev/null"], {
      env: { PATH: process.env.PATH, PORT: "0", DATA_DIR: dataDir },
      stdio: ["pipe", "pipe", "ignore"],
    });
    let output = "";
    terminal.stdout.on("data", (text) => {
      output += text;
    });
    const ready = () => /ready at (\S+)\s/.exec(output)?.[1];
    await expect.poll(ready, { timeout: 25_000 }).toBeDefined();
    const { pid } = findLockHolder(dataDir)!;
    try {
      terminal.kill("SIGKILL");
      const answer = () => fetch(`${ready()}/health`).catch(() => "refused");
      await expect.poll(answer, { timeout: 20_000 }).toBe("refused");
    } finally {
      if (isLocked(dataDir)) process.kill(pid, "SIGKILL");
    }
  });

  test("SIGHUP, which systemd sends for a reload, does not stop a single process", async () => {
    const server = await serve(prepared());
    server.send("SIGHUP");
    await expect.poll(() => server.output.stderr).toContain("SIGHUP: a single process cannot replace itself");
    expect((await server.call("/ready")).status).toBe(200);
    expect(await server.end("SIGTERM")).toBe(0);
  });
});

/** A sign-up whose body arrives in two parts, on a connection that would be kept alive. */
function startSlowSignUp(url: string) {
  const body = JSON.stringify(ada);
  const sent: ClientRequest = request(`${url}/api/auth/sign-up/email`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      connection: "keep-alive",
      expect: "100-continue",
    },
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    sent.on("response", resolve).on("error", reject);
  });
  answered.catch(() => {});
  const begun = new Promise((resolve) => sent.on("continue", resolve));
  sent.write(body.slice(0, 10));
  return {
    begun,
    async finish(): Promise<number> {
      sent.end(body.slice(10));
      const response = await answered;
      response.resume();
      return response.statusCode!;
    },
  };
}
