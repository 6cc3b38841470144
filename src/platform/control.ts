import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { json } from "node:stream/consumers";
import { z } from "zod";
import { findLockHolder, hasDatabase, lockFolder } from "./db/index.ts";
import { OperatorError } from "./errors.ts";

/**
 * Only one process can open the embedded database, so a running server runs the commands of other processes. The
 * request is HTTP over a private unix socket. The reply has a line of JSON for each line of output, then the exit code.
 */
const ControlCommand = z.object({ command: z.string(), args: z.array(z.string()) });
export type ControlCommand = z.output<typeof ControlCommand>;

export interface CommandOutput {
  out(line: string): void;
  err(line: string): void;
  /** Aborts when the process that sent the command disconnects. */
  signal: AbortSignal;
}

type Line = { out: string } | { err: string } | { exit: number };

export interface Control {
  address: string;
  /** Aborts the commands that are still running. */
  close(): Promise<void>;
}

export async function openControl(
  dataDir: string,
  runRequested: (command: ControlCommand, output: CommandOutput) => Promise<number>,
): Promise<Control> {
  const address = createAddress(dataDir);
  const closing = new AbortController();
  const server = createServer(async (incoming, response) => {
    if (incoming.method !== "POST" || incoming.url !== "/orders") return void response.writeHead(404).end();
    const disconnected = new AbortController();
    response.on("close", () => disconnected.abort());
    const command = await readCommand(incoming);
    if (!command) return void response.writeHead(400).end();
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    // Otherwise they wait for the first line, and until then the client takes the command for one that was not accepted.
    response.flushHeaders();
    const write = (line: Line) => {
      if (!response.destroyed) response.write(`${JSON.stringify(line)}\n`);
    };
    const exit = await runRequested(command, {
      out: (line) => write({ out: line }),
      err: (line) => write({ err: line }),
      signal: AbortSignal.any([disconnected.signal, closing.signal]),
    }).catch(() => 1);
    write({ exit });
    response.end();
  });
  await listenPrivately(server, address);
  return {
    address,
    async close() {
      closing.abort();
      const closed = new Promise((resolve) => server.close(resolve));
      const closeTimer = setTimeout(() => server.closeAllConnections(), 500);
      await closed;
      clearTimeout(closeTimer);
      removeAddress(dataDir, address);
    },
  };
}

async function readCommand(incoming: IncomingMessage): Promise<ControlCommand | undefined> {
  try {
    return ControlCommand.parse(await json(incoming));
  } catch {
    return undefined;
  }
}

/** Returns the address of the server that holds the folder, or undefined when no server takes commands there. */
export const findServer = (dataDir: string): string | undefined =>
  // Asking for the lock creates the folder and makes it private, and this may be the folder of another program.
  hasDatabase(dataDir) && isLocked(dataDir) ? findLockHolder(dataDir)?.control : undefined;

export function isLocked(dataDir: string): boolean {
  const lock = lockFolder(dataDir);
  lock?.release();
  return !lock;
}

/** No server accepted the command at that address, so nothing was done. */
export class CommandNotAccepted extends Error {}

/** The server accepted the command, but the connection ended before its exit code. */
export class CommandInterrupted extends Error {}

export const describeInterruption = ({ signal }: CommandOutput): string =>
  signal.aborted
    ? "Stopped before the end. Run the command again."
    : "The running Signalbox stopped before the command had ended. Run the command again.";

/** Runs the command in the server at that address and returns its exit code. */
export async function sendCommand(
  address: string,
  command: ControlCommand,
  output: CommandOutput,
): Promise<number> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ socketPath: address, path: "/orders", method: "POST", signal: output.signal })
      .on("response", resolve)
      .on("error", ({ message }) =>
        reject(output.signal.aborted ? new CommandInterrupted(message) : new CommandNotAccepted(message)),
      )
      .end(JSON.stringify(command));
  });
  if (response.statusCode !== 200) throw new CommandNotAccepted(`HTTP ${response.statusCode}`);
  try {
    for await (const text of createInterface({ input: response })) {
      const line = JSON.parse(text) as Line;
      if ("exit" in line) return line.exit;
      if ("out" in line) output.out(line.out);
      else output.err(line.err);
    }
  } catch (error) {
    throw new CommandInterrupted((error as Error).message);
  }
  throw new CommandInterrupted("the connection ended");
}

/** As `sendCommand`, with errors for the operator. */
export async function askServer(
  address: string,
  command: ControlCommand,
  output: CommandOutput,
): Promise<number> {
  try {
    return await sendCommand(address, command, output);
  } catch (error) {
    throw new OperatorError(
      error instanceof CommandNotAccepted
        ? "The running Signalbox does not take commands at the moment. Try again shortly."
        : describeInterruption(output),
      { cause: error },
    );
  }
}

/** Most kernels limit the path of a socket to about a hundred bytes. */
const maxAddressBytes = 100;
const temporary = join(tmpdir(), "signalbox-control-");

function createAddress(dataDir: string): string {
  // This process holds the folder's lock, so an existing socket belongs to a process that was killed.
  const previousAddress = findLockHolder(dataDir)?.control;
  if (previousAddress) removeAddress(dataDir, previousAddress);
  const inDataFolder = join(dataDir, "control.sock");
  rmSync(inDataFolder, { force: true });
  return Buffer.byteLength(inDataFolder) <= maxAddressBytes
    ? inDataFolder
    : join(mkdtempSync(temporary), "control.sock");
}

function removeAddress(dataDir: string, address: string): void {
  if (dirname(address) === dataDir) rmSync(address, { force: true });
  else if (address.startsWith(temporary)) rmSync(dirname(address), { recursive: true, force: true });
}

function listenPrivately(server: Server, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    // The socket is private from the start. If the mode were changed later, others could connect before.
    const before = process.umask(0o177);
    server.listen(address, () => {
      chmodSync(address, 0o600);
      resolve();
    });
    process.umask(before);
  });
}
