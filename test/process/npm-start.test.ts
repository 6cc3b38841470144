import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterEach, expect, inject, test } from "vitest";
import { cleanUp, copyFolder } from "./kit.ts";

afterEach(cleanUp);

// A supervisor knows npm's process only. A shell in between would take the signal and leave the service behind.
test("`npm start` stops the service when npm gets a signal to end", async () => {
  const npm = spawn("npm", ["start", "--silent"], {
    cwd: join(import.meta.dirname, "../.."),
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: "0",
      DATA_DIR: copyFolder(inject("preparedFolder")),
    },
    stdio: ["ignore", "pipe", "ignore"],
  });
  let output = "";
  npm.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  await expect.poll(() => output, { timeout: 60_000 }).toContain("ready at");
  const url = output.match(/http\S+/)![0];
  expect((await fetch(`${url}/health`)).status).toBe(200);
  npm.kill("SIGTERM");
  await once(npm, "close");
  await expect
    .poll(
      () =>
        fetch(`${url}/health`).then(
          () => "answers",
          () => "gone",
        ),
      { timeout: 15_000 },
    )
    .toBe("gone");
});
