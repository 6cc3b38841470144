import { spawn } from "node:child_process";
import { cleanText, truncateText } from "../payload.ts";

/** Lines of output that are kept for the reason of a failure. */
const maxOutput = 4_000;
/** How long output is read after the command has ended. */
const readAfterEndMs = 1_000;

export interface UpgradeCommand {
  /** A line for the shell. */
  line: string;
  timeoutMs: number;
  environment: NodeJS.ProcessEnv;
}

/** Runs the operator's command. Returns why it failed, or undefined. */
export function runUpgradeCommand(
  { line, timeoutMs, environment }: UpgradeCommand,
  upgrade: { id: string; version: string },
  onLine: (line: string) => void,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn("/bin/sh", ["-c", line], {
      env: { ...environment, SIGNALBOX_UPGRADE_VERSION: upgrade.version, SIGNALBOX_UPGRADE_ID: upgrade.id },
      stdio: ["ignore", "pipe", "pipe"],
      // Its own group, so that what it started is stopped with it.
      detached: true,
    });
    let output = "";
    let isLate = false;
    const note = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-maxOutput);
      for (const text of chunk.toString().split("\n")) if (text.trim()) onLine(text);
    };
    child.stdout.on("data", note);
    child.stderr.on("data", note);
    const timer = setTimeout(() => {
      isLate = true;
      try {
        process.kill(-child.pid!, "SIGKILL");
      } catch {}
    }, timeoutMs);
    const end = (reason: string | undefined) => {
      clearTimeout(timer);
      resolve(reason);
    };
    // A program that it left running can keep the output open for as long as it likes.
    child.once("exit", () =>
      setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, readAfterEndMs),
    );
    child.once("error", (error) => end(`The upgrade command could not be started: ${error.message}`));
    child.once("close", (code, signal) => {
      if (code === 0) return end(undefined);
      const last = truncateText(cleanText(output.trim().split("\n").at(-1) ?? ""), 300);
      const how = isLate
        ? `did not end within ${timeoutMs / 1000} s`
        : signal
          ? `was ended by ${signal}`
          : `ended with ${code}`;
      end(`The upgrade command ${how}.${last ? ` Its last line: ${last}` : ""}`);
    });
  });
}
