import { chmodSync } from "node:fs";
import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { ada, cleanUp, copyFolder, type RunningServer, serve, signalbox } from "./kit.ts";

/** One instance, first while it serves and then while it is stopped. */
let dataDir: string;
let server: RunningServer;
beforeAll(async () => {
  dataDir = copyFolder(inject("preparedFolder"));
  server = await serve(dataDir);
});
afterAll(cleanUp);

const levels = (json: string) =>
  (JSON.parse(json) as { check: string; level: string }[]).map(({ check, level }) => `${level} ${check}`);

describe("while an instance serves", () => {
  test("`mail` lists and shows the stored mails, with a link that works", async () => {
    await server.call("/api/auth/sign-up/email", { body: ada });
    const list = await signalbox(["mail"], dataDir);
    expect(list).toMatchObject({ code: 0, stderr: "" });
    const id = new RegExp(`^(mail_\\S+).*kept.*${ada.email}.*Confirm your e-mail address$`, "m").exec(
      list.stdout,
    )![1]!;
    const [shown, last, json, none] = await Promise.all([
      signalbox(["mail", id], dataDir),
      signalbox(["mail", "--last"], dataDir),
      signalbox(["mail", "--last", "--json"], dataDir),
      signalbox(["mail", "mail_nope"], dataDir),
    ]);
    expect(shown.stdout).toBe(last.stdout);
    expect(JSON.parse(json.stdout)).toMatchObject({ id, to: ada.email, status: "kept" });
    expect(none).toMatchObject({ code: 1, stdout: "" });
    const link = new URL(/^http\S+$/m.exec(shown.stdout)![0]);
    expect((await server.call(link.pathname + link.search)).status).toBe(200);
  });

  test("`doctor` finds no problem, and `migrate` and `reseal` have nothing to do", async () => {
    const [doctor, migrate, reseal] = await Promise.all([
      signalbox(["doctor"], dataDir),
      signalbox(["migrate", "--check", "--json"], dataDir),
      signalbox(["reseal", "--check"], dataDir),
    ]);
    expect(doctor).toMatchObject({ code: 0, stderr: "" });
    expect(doctor.stdout).not.toMatch(/^[!✗]/m);
    expect(doctor.stdout).toContain(`✓ public URL: ${server.url} leads here`);
    expect(doctor.stdout).toContain("✓ egress: loopback addresses may be called: HOST is loopback,");
    expect(doctor.stdout).toContain(
      "✓ sign-up: anybody can make an account, because only this machine can reach this instance\n",
    );
    expect(migrate).toMatchObject({ code: 0, stdout: '{"applied":[],"pending":[]}\n' });
    expect(reseal).toMatchObject({ code: 0 });
  });
});

describe("while an instance is stopped", () => {
  beforeAll(async () => {
    expect(await server.end("SIGTERM")).toBe(0);
  });

  test("`mail` opens the folder itself, and two at once wait for each other", async () => {
    const both = await Promise.all([signalbox(["mail"], dataDir), signalbox(["mail"], dataDir)]);
    for (const one of both) {
      expect(one).toMatchObject({ code: 0, stderr: "" });
      expect(one.stdout).toContain(ada.email);
    }
  });

  test("`doctor` reports a secret that others can read, and a public URL that leads to another server", async () => {
    chmodSync(`${dataDir}/secret`, 0o644);
    const other = createServer((_request, response) => response.end("hello"));
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as { port: number };
    const { code, stdout } = await signalbox(["doctor", "--json"], dataDir, {
      PUBLIC_URL: `http://127.0.0.1:${port}`,
    });
    other.close();
    expect(code).toBe(1);
    expect(levels(stdout)).toEqual([
      "ok configuration",
      "ok data folder",
      "problem secret file",
      "ok egress",
      "ok sign-up",
      "ok bootstrap",
      "ok database",
      "ok encoding",
      "ok migrations",
      "ok clock",
      "ok secrets",
      "ok backup",
      "problem public URL",
      "ok mail",
    ]);
  });

  test("`doctor` reports values of a lost secret, an open address and an unreachable mail server", async () => {
    const { code, stdout } = await signalbox(["doctor"], dataDir, {
      SIGNALBOX_SECRET: "another secret than the one it had",
      SMTP_URL: "smtp://127.0.0.1:1",
      HOST: "0.0.0.0",
    });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^✗ secret: SIGNALBOX_SECRET is not the secret that this database is sealed with\. /m,
    );
    expect(stdout).toMatch(
      /^✓ sign-up: after the first account, people need an invitation to make one, because others can reach this instance: HOST is 0\.0\.0\.0$/m,
    );
    expect(stdout).toMatch(/^✓ bootstrap: agents cannot make a workspace without an account, because /m);
    expect(stdout).toMatch(
      /^✗ secrets: 1 sealed values in mails\.text are under a secret that is not configured\n {4}→ Put the secret/m,
    );
    expect(stdout).toMatch(
      /^✗ mail: 127\.0\.0\.1:1 does not take mail from us \(.*ECONNREFUSED.*\)\n {4}→ /m,
    );
    expect(stdout).toMatch(
      /^! public URL: PUBLIC_URL is not set, and others can reach this instance: HOST is 0\.0\.0\.0\n {4}→ /m,
    );
    expect(stdout).toMatch(
      /^✓ egress: loopback addresses are refused, because others can reach this instance: HOST is 0\.0\.0\.0\.$/m,
    );
  });

  test("`doctor` reports a wrong setting, and a database that is down", async () => {
    const wrong = await signalbox(["doctor"], dataDir, { PORT: "http" });
    expect(wrong.code).toBe(1);
    expect(wrong.stdout).toMatch(/^✗ configuration: PORT must be a whole number[^\n]*\n$/);
    const down = await signalbox(["doctor"], undefined, {
      DATABASE_URL: "postgres://127.0.0.1:1/signalbox",
      SIGNALBOX_SECRET: "a secret for the tests, long enough",
    });
    expect(down.code).toBe(1);
    expect(down.stdout).toContain(
      "✗ database: The database at 127.0.0.1:1 cannot be reached (ECONNREFUSED).",
    );
  });
});
