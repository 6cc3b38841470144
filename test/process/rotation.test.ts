import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { readConfig } from "../../src/platform/config.ts";
import { sql } from "../../src/platform/db/index.ts";
import { createLog } from "../../src/platform/log.ts";
import { openDatabase } from "../../src/platform/open.ts";
import { ada, adaSignIn, cleanUp, copyFolder, killAfterOutput, serve, signalbox } from "./kit.ts";

const mails = 10_000;
// With a comma, which also separates secrets.
const newSecret = "the new secret, which is long enough";
let dataDir: string;
let rotating: Record<string, string>;

beforeAll(async () => {
  dataDir = copyFolder(inject("preparedFolder"));
  rotating = {
    SIGNALBOX_SECRET: newSecret,
    SIGNALBOX_SECRET_PREVIOUS: readFileSync(`${dataDir}/secret`, "utf8"),
  };
  await fillMails();
});
afterAll(cleanUp);

/** So many that sealing them anew takes a while. */
async function fillMails(): Promise<void> {
  const { db, keyring, close } = await openDatabase(readConfig({ DATA_DIR: dataDir }), {
    log: createLog("silent"),
  });
  const ids = Array.from({ length: mails }, (_, i) => `mail_${String(i).padStart(8, "0")}`);
  const texts = ids.map((id) => keyring.seal(`Text of ${id}.`, { table: "mails", row: id, column: "text" }));
  await db.run(sql`insert into mails (id, recipient, subject, text, status)
    select id, 'ada@example.com', 'Hello', text, 'kept' from unnest(${ids}::text[], ${texts}::text[]) as m (id, text)`);
  await close();
}

const census = async () => {
  const { code, stdout } = await signalbox(["reseal", "--check", "--json"], dataDir, rotating);
  const [column] = JSON.parse(stdout) as { left: { current: number; previous: number; unknown: number } }[];
  return { code, ...column!.left };
};

describe("rotating the secret", () => {
  test("continues after re-sealing was killed halfway, while the service runs", async () => {
    const server = await serve(dataDir, rotating);
    expect((await server.call("/api/auth/sign-up/email", { body: ada })).status).toBe(200);
    expect(await census()).toEqual({ code: 3, current: 1, previous: mails, unknown: 0 });

    expect((await killAfterOutput("sealed again", ["reseal"], dataDir, rotating)).code).toBe("SIGKILL");
    const halfway = await census();
    expect(halfway.code).toBe(3);
    expect(halfway.current).toBeGreaterThan(1);
    expect(halfway.previous).toBeGreaterThan(0);
    expect((await server.call("/ready")).status).toBe(200);

    const rest = signalbox(["reseal"], dataDir, rotating);
    const answers = [];
    for (let i = 0; i < 5; i++)
      answers.push((await server.call("/api/auth/sign-in/email", { body: adaSignIn })).status);
    expect(answers).toEqual([200, 200, 200, 200, 200]);
    expect(await rest).toMatchObject({ code: 0, stderr: "" });
    expect(await census()).toEqual({ code: 0, current: mails + 1, previous: 0, unknown: 0 });
    expect(await server.end("SIGTERM")).toBe(0);
  });

  test("lets the operator remove the old secret afterwards", async () => {
    const verified = await signalbox(["audit", "verify"], dataDir, { SIGNALBOX_SECRET: newSecret });
    expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining(", 0 failures") });
    const { stdout } = await signalbox(["mail", "mail_00000000"], dataDir, { SIGNALBOX_SECRET: newSecret });
    expect(stdout).toContain("Text of mail_00000000.");
  });

  test("names values that do not open, and continues with the rest", async () => {
    // Back to the secret in the folder, without the one that has sealed everything since.
    const refused = await signalbox(["reseal"], dataDir);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(
      /^The secret in \S+ is not the secret that this database is sealed with\. /,
    );
    const { code, stdout, stderr } = await signalbox(
      ["reseal", "--accept-loss", "--lose-everything"],
      dataDir,
    );
    expect(code).toBe(1);
    expect(stderr).toContain(
      "mails.text of mail_00000000: A sealed value does not open: it was sealed under another secret",
    );
    expect(stderr).toContain(`… and ${mails + 1 - 20} more.`);
    expect(stdout).toContain(`${mails + 1} under a secret that is not configured`);
    const doctor = await signalbox(["doctor"], dataDir, {
      SIGNALBOX_SECRET: rotating.SIGNALBOX_SECRET_PREVIOUS!,
      SIGNALBOX_SECRET_PREVIOUS: newSecret,
    });
    expect(doctor.stdout).toMatch(
      /^! secrets: 10001 sealed values in mails\.text are still under a previous secret or in the first format\n {4}→ Run `signalbox reseal`/m,
    );
  });
});
