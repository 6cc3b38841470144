/** `signalbox move` while runners report, and when it is killed. */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { isPostgresAvailable, makeDatabase } from "../postgres.ts";
import {
  ada,
  adaSignIn,
  cleanUp,
  copyFolder,
  type Env,
  freePort,
  freshFolder,
  killAfterOutput,
  type RunningServer,
  serve,
  signalbox,
} from "./kit.ts";
import { callServer, createQueuedRuns, findReportingFaults, startReporter } from "./reporting.ts";

const databases: { drop(): Promise<void> }[] = [];
afterAll(async () => {
  await cleanUp();
  for (const database of databases) await database.drop();
});

const secret = "a secret for the tests, long enough";
async function makeUrl(): Promise<string> {
  const database = await makeDatabase();
  databases.push(database);
  return database.url;
}

interface Place {
  dataDir: string | undefined;
  env: Env;
  /** The value of `--to`. */
  to: string;
}
const folderPlace = (dataDir: string): Place => ({ dataDir, env: { SIGNALBOX_SECRET: secret }, to: dataDir });
const serverPlace = (url: string): Place => ({
  dataDir: undefined,
  env: { DATABASE_URL: url, SIGNALBOX_SECRET: secret },
  to: url,
});

/** Moves a serving instance while three reporters report, and checks every acknowledged event at the new place. */
async function moveWhileReporting(from: Place, to: Place): Promise<void> {
  const settings = { PORT: await freePort(), LOG_LEVEL: "fatal" };
  let server: RunningServer = await serve(from.dataDir, { ...from.env, ...settings });
  const { access, runIds } = await createQueuedRuns(server.url, 3);
  const reporters = runIds.map((runId) => startReporter(access, runId));
  await pause(500);
  const moved = await signalbox(["move", "--to", "-"], from.dataDir, from.env, `${to.to}\n`);
  expect(moved).toMatchObject({ code: 0, stderr: "" });
  expect(moved.stdout).toMatch(/^Moved \d+ rows to /m);
  // The old server still runs. It must not acknowledge anything any more.
  const late = await callServer(access, `/v1/automation-runs/${runIds[0]}/complete`, {
    attempt: 1,
    status: "succeeded",
  });
  expect(late.status).toBe(503);
  expect(late.body.message).toMatch(/^This instance was moved to another database/);
  expect(late.headers.get("retry-after")).toBeTruthy();
  await server.end("SIGTERM");
  const refused = await signalbox(["serve"], from.dataDir, from.env);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/^This instance was moved to [^\n]+\n$/);
  expect(refused.stderr).not.toContain("password");
  server = await serve(to.dataDir, { ...to.env, ...settings });
  await pause(500);
  await Promise.all(reporters.map((reporter) => reporter.stop()));
  for (const reporter of reporters) {
    // A crowded machine can take longer for the move and two starts than a lease lasts. Then a reporter has to stop.
    const faults = await findReportingFaults(access, reporter);
    expect(faults.filter((one) => !one.includes("runner_lease_lost"))).toEqual([]);
    expect(reporter.acknowledged.length).toBeGreaterThan(10);
    expect(reporter.refusals.unavailable).toBeGreaterThan(0);
    expect(reporter.refusals.withoutRetryAfter).toBe(0);
  }
  expect(await server.end("SIGTERM")).toBe(0);
}

describe.skipIf(!(await isPostgresAvailable()))("move", () => {
  test("from embedded to PostgreSQL and back loses nothing that was acknowledged", async () => {
    const folder = freshFolder();
    const database = serverPlace(await makeUrl());
    await moveWhileReporting(folderPlace(folder), database);
    await moveWhileReporting(database, folderPlace(freshFolder()));
  }, 300_000);

  test("refuses a mistyped URL, and does not take it for a folder", async () => {
    const { env } = serverPlace(await makeUrl());
    expect(await signalbox(["migrate"], undefined, env)).toMatchObject({ code: 0 });
    const mistyped = [
      "mysql://root:passw0rd@host/db",
      "localhost:5432/db",
      "postgres://root@127.0.0.1:99999/db",
    ];
    for (const to of mistyped) {
      const refused = await signalbox(["move", "--to", "-"], undefined, env, `${to}\n`);
      expect(refused, to).toMatchObject({ code: 2, stdout: "" });
      expect(refused.stderr).toMatch(/^The new database is not a URL[^\n]*\n$/);
      expect(refused.stderr).not.toContain("passw0rd");
    }
  }, 120_000);

  test("refuses a database as its own target, whatever its URL is", async () => {
    const { env } = serverPlace(await makeUrl());
    expect(await signalbox(["migrate"], undefined, env)).toMatchObject({ code: 0 });
    const to = `${env.DATABASE_URL}?application_name=another`;
    const refused = await signalbox(["move", "--replace", "--to", to], undefined, env);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(/^The new database is the one that is to be moved/);
  }, 60_000);

  describe("that is killed", () => {
    let prepared: string;
    let env: Env;
    beforeAll(async () => {
      prepared = copyFolder(inject("preparedFolder"));
      const server = await serve(prepared);
      expect((await server.call("/api/auth/sign-up/email", { body: ada })).status).toBe(200);
      await server.end("SIGTERM");
    });

    const works = async (dataDir: string | undefined, env: Env): Promise<boolean> => {
      let server: RunningServer;
      try {
        server = await serve(dataDir, env);
      } catch {
        return false;
      }
      const { status } = await server.call("/api/auth/sign-in/email", { body: adaSignIn });
      await server.end("SIGTERM");
      return status === 200;
    };

    const steps = ["Copying.", "Every row is in", "The old database is closed."];
    test.each(steps)(
      "after it printed %s leaves one database in force, and can be repeated",
      async (step) => {
        const { readFileSync } = await import("node:fs");
        const dataDir = copyFolder(prepared);
        env = {
          DATABASE_URL: await makeUrl(),
          SIGNALBOX_SECRET: readFileSync(`${dataDir}/secret`, "utf8"),
        };
        const args = ["move", "--to", env.DATABASE_URL!];
        const killed = await killAfterOutput(step, args, dataDir);
        const isSourceInForce = await works(dataDir, {});
        const isTargetInForce = await works(undefined, env);
        expect([isSourceInForce, isTargetInForce]).not.toEqual([true, true]);
        if (!isTargetInForce) {
          expect(killed.code, killed.stderr).toBe("SIGKILL");
          const again = await signalbox(args, dataDir);
          expect(again, step).toMatchObject({ code: 0, stderr: "" });
          expect(await works(undefined, env)).toBe(true);
        }
        expect(await works(dataDir, {})).toBe(false);
      },
      180_000,
    );

    test("refuses a target with data, an unreachable one and another folder, and changes nothing", async () => {
      const dataDir = copyFolder(prepared);
      const refused = await signalbox(["move", "--to", env.DATABASE_URL!], dataDir);
      expect(refused).toMatchObject({ code: 1, stdout: "" });
      expect(refused.stderr).toMatch(/^The database is not empty\./);
      const nowhere = await signalbox(["move", "--to", "postgres://root@127.0.0.1:1/none"], dataDir);
      expect(nowhere.code).toBe(1);
      expect(nowhere.stderr).toMatch(/cannot be reached/);
      expect((await signalbox(["move", "--to", freshFolder()], dataDir)).code).toBe(2);
      expect(await works(dataDir, {})).toBe(true);
    }, 120_000);
  });
});
