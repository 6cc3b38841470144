import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  CommandInterrupted,
  CommandNotAccepted,
  type CommandOutput,
  type Control,
  type ControlCommand,
  openControl,
  sendCommand,
} from "./control.ts";

let folder: string;
let control: Control | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-control-test-"));
});
afterEach(async () => {
  await control?.close();
  control = undefined;
  rmSync(folder, { recursive: true, force: true });
});

function createOutput(signal: AbortSignal = new AbortController().signal) {
  const lines: string[] = [];
  return {
    lines,
    out: (line: string) => void lines.push(`out ${line}`),
    err: (line: string) => void lines.push(`err ${line}`),
    signal,
  };
}

const echo = async ({ command, args }: ControlCommand, { out, err }: CommandOutput) => {
  out(`${command} ${args.join(" ")}`);
  err("a line\nthat is two, with “quotes”");
  return 3;
};

describe("the control channel", () => {
  test("runs the command in the server, and returns its lines and exit code in order", async () => {
    control = await openControl(folder, echo);
    const terminal = createOutput();
    expect(await sendCommand(control.address, { command: "mail", args: ["--last"] }, terminal)).toBe(3);
    expect(terminal.lines).toEqual(["out mail --last", "err a line\nthat is two, with “quotes”"]);
  });

  test("is accessible to its owner only", async () => {
    control = await openControl(folder, echo);
    expect(statSync(control.address).mode & 0o777).toBe(0o600);
  });

  test("uses another folder when the path is too long for a socket, and leaves nothing there", async () => {
    const deep = join(folder, "d".repeat(120));
    mkdirSync(deep);
    control = await openControl(deep, echo);
    expect(control.address.startsWith(deep)).toBe(false);
    expect(statSync(join(control.address, "..")).mode & 0o777).toBe(0o700);
    expect(await sendCommand(control.address, { command: "mail", args: [] }, createOutput())).toBe(3);
    await control.close();
    expect(() => statSync(join(control!.address, ".."))).toThrow();
    control = undefined;
  });

  test("replaces the socket of a killed process", async () => {
    writeFileSync(join(folder, "control.sock"), "");
    control = await openControl(folder, echo);
    expect(await sendCommand(control.address, { command: "mail", args: [] }, createOutput())).toBe(3);
  });

  test("aborts the signal of the command when the client disconnects", async () => {
    const told = Promise.withResolvers<void>();
    control = await openControl(folder, async (_order, { out, signal }) => {
      out("begun");
      signal.addEventListener("abort", () => told.resolve());
      await told.promise;
      return 0;
    });
    const leaving = new AbortController();
    const terminal = { ...createOutput(leaving.signal), out: () => leaving.abort() };
    await expect(sendCommand(control.address, { command: "reseal", args: [] }, terminal)).rejects.toThrow(
      CommandInterrupted,
    );
    await told.promise;
  });

  test("ends active commands when it closes", async () => {
    control = await openControl(folder, async (_order, { out, signal }) => {
      out("begun");
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return 1;
    });
    const begun = Promise.withResolvers<void>();
    const ended = sendCommand(
      control.address,
      { command: "reseal", args: [] },
      { ...createOutput(), out: () => begun.resolve() },
    );
    await begun.promise;
    await control.close();
    expect(await ended).toBe(1);
  });

  test("a command that began and has printed nothing yet counts as accepted", async () => {
    let begun = 0;
    control = await openControl(folder, () => {
      begun++;
      return new Promise(() => {});
    });
    const leaving = new AbortController();
    const send = (signal?: AbortSignal) =>
      sendCommand(control!.address, { command: "reseal", args: ["--json"] }, createOutput(signal));
    const left = expect(send(leaving.signal)).rejects.toThrow(CommandInterrupted);
    const cutOff = expect(send()).rejects.toThrow(CommandInterrupted);
    await expect.poll(() => begun).toBe(2);
    leaving.abort();
    await control.close();
    await Promise.all([left, cutOff]);
  });

  test("reports an exception of the command to the client", async () => {
    control = await openControl(folder, () => Promise.reject(new Error("boom")));
    expect(await sendCommand(control.address, { command: "mail", args: [] }, createOutput())).toBe(1);
  });

  test("has an error of its own for a socket without a server", async () => {
    const nobody = sendCommand(join(folder, "control.sock"), { command: "mail", args: [] }, createOutput());
    await expect(nobody).rejects.toThrow(CommandNotAccepted);
  });

  test("refuses any request that is not a command", async () => {
    control = await openControl(folder, echo);
    const { address } = control;
    const requestStatus = (method: string, path: string, body = "") =>
      new Promise((resolve, reject) => {
        request({ socketPath: address, method, path }, (response) => resolve(response.resume().statusCode))
          .on("error", reject)
          .end(body);
      });
    expect(await requestStatus("GET", "/orders")).toBe(404);
    expect(await requestStatus("POST", "/elsewhere")).toBe(404);
    for (const body of [
      "",
      "{",
      "[]",
      '{"command":1,"args":[]}',
      '{"command":"mail"}',
      '{"command":"mail","args":[1]}',
    ])
      expect(await requestStatus("POST", "/orders", body)).toBe(400);
  });
});
