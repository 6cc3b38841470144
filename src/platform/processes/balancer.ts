import type { Worker } from "node:cluster";
import type { Server, Socket } from "node:net";

/** A process that takes connections. */
export interface Target {
  worker: Worker;
  state: string;
}

interface Handed {
  socket: Socket;
  target: Target;
}

export interface Balancer {
  /** A process has the connection now. */
  accepted(id: number): void;
  closed(target: Target): void;
  /** Gives the connections to others that an ended process had not taken yet. */
  forget(target: Target): void;
}

/**
 * Hands each connection to the process with the fewest, and among equals to the one that has waited longest. A
 * connection is kept here until its process has it, so that a process that is killed at this moment does not lose it.
 */
export function createBalancer(
  server: Server,
  targets: () => Iterable<Target>,
  /** Serves a connection while no process is ready. */
  serveHere: (socket: Socket) => void,
): Balancer {
  const counts = new Map<Target, number>();
  const handed = new Map<number, Handed>();
  /** Processes that no longer receive anything. That they have ended is noticed a little later. */
  const unreachable = new WeakSet<Target>();
  let last = 0;
  /** The id of the last connection that a process got. */
  const chosenAt = new WeakMap<Target, number>();
  const count = (target: Target) => counts.get(target) ?? 0;
  const isBetter = (one: Target, other: Target) =>
    count(one) < count(other) ||
    (count(one) === count(other) && (chosenAt.get(one) ?? 0) < (chosenAt.get(other) ?? 0));

  function hand(socket: Socket): void {
    let chosen: Target | undefined;
    for (const target of targets()) {
      if (target.state !== "ready" || unreachable.has(target)) continue;
      if (!chosen || isBetter(target, chosen)) chosen = target;
    }
    if (!chosen) {
      serveHere(socket);
      return;
    }
    const target = chosen;
    const id = ++last;
    chosenAt.set(target, id);
    counts.set(target, count(target) + 1);
    handed.set(id, { socket, target });
    target.worker.process.send({ kind: "connection", id }, socket, { keepOpen: true }, (error) => {
      if (!error) return;
      unreachable.add(target);
      take(id, hand);
    });
  }

  function take(id: number, next: (socket: Socket) => void): void {
    const found = handed.get(id);
    handed.delete(id);
    if (found) next(found.socket);
  }

  server.on("connection", (socket) => {
    // A caller that leaves on the way is noticed by the process that gets the connection.
    socket.on("error", () => {});
    hand(socket);
  });
  return {
    // Closes the copy of this process; the connection lives on in the other one.
    accepted: (id) => take(id, (socket) => socket.destroy()),
    closed: (target) => void counts.set(target, count(target) - 1),
    forget(target) {
      counts.delete(target);
      for (const [id, one] of handed) if (one.target === target) take(id, hand);
    },
  };
}
